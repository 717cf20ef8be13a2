"""Rows for Slack: let in, with which rights, to which channels, and whether people are heard. Pure."""

from collections.abc import Iterator

from firstfault.agent.doctor.finding import Finding, State
from firstfault.agent.slack.ports.looking import ChatLook

POSTS = "chat:write"
_UNSAID = "on-call hears nothing of incidents in Slack; reports are kept"


def chat_rows(look: ChatLook, *, can_hear: bool) -> Iterator[Finding]:
    """Yield the rows. can_hear: a socket or a signing secret is set."""
    if look.problem is not None:
        yield Finding(
            part="slack",
            state=State.FAIL,
            said=look.problem,
            blind=_UNSAID,
            remedy="renew `slack.bot_token` (FIRSTFAULT_SLACK__BOT_TOKEN), or let this machine reach Slack",
        )
        return
    yield Finding(part="slack", state=State.OK, said=f"lets us in as {look.bot}")
    yield _scopes(look.lacking)
    yield from _channels(look)
    yield _hearing(look, can_hear=can_hear)


def _scopes(lacking: frozenset[str] | None) -> Finding:
    part = "slack scopes"
    if lacking is None:
        return Finding(part=part, state=State.OK, said="the server does not tell which the token has")
    if not lacking:
        return Finding(part=part, state=State.OK, said="all that are needed are there")
    return Finding(
        part=part,
        state=State.FAIL if POSTS in lacking else State.WARN,
        said=f"the token has not {', '.join(sorted(lacking))}",
        blind=_UNSAID
        if POSTS in lacking
        else "what these are for: deploy/slack-manifest.yaml tells it of each",
        remedy="give the app the scopes of deploy/slack-manifest.yaml and install it to the workspace again",
    )


def _channels(look: ChatLook) -> Iterator[Finding]:
    if not look.channels:
        yield Finding(
            part="slack channels",
            state=State.WARN,
            said="none is set",
            blind=_UNSAID,
            remedy="set `slack.channel` and `slack.shadow_channel`",
        )
    for channel, problem in look.channels:
        if problem is None:
            yield Finding(part="slack channels", state=State.OK, said=f"{channel} is reached")
        else:
            yield Finding(
                part="slack channels",
                state=State.FAIL,
                said=f"{channel}: {problem}",
                blind="what is posted there",
                remedy="invite the bot there, or set another channel",
            )


def _hearing(look: ChatLook, *, can_hear: bool) -> Finding:
    part = "slack answers"
    unheard = "questions, clicks and approvals of people"
    if not can_hear:
        return Finding(
            part=part,
            state=State.WARN,
            said="neither a socket nor a signing secret is set",
            blind=unheard,
            remedy="set `slack.app_token`, or `slack.signing_secret` for HTTP",
        )
    if look.socket is not None:
        return Finding(
            part=part,
            state=State.FAIL,
            said=look.socket,
            blind=unheard,
            remedy="renew `slack.app_token` (xapp-…) with the scope connections:write",
        )
    return Finding(part=part, state=State.OK, said="people can be heard")
