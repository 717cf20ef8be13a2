"""The frame of every HTML page: one file, no script, no request to anywhere, safe to mail and to print.

Every value goes through `safety.visible` before it is escaped (the environment's `finalize`), so a template line
cannot forget it. The content security policy allows the one style sheet in the page, by its digest, and nothing else.
"""

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from firstfault.agent.render.safety import one_line, visible


def html_page(template: str, title: str, values: Mapping[str, object]) -> str:
    """Return a page as text, to be written as UTF-8.

    template: Jinja text that extends `page.html.j2` and fills its block `body`.
    """
    css = package_text("report.css")
    return (
        _environment()
        .from_string(template)
        .render(
            title=title,
            css=Markup(css),  # noqa: S704 - a file of this package
            policy=content_security_policy(css),
            one_line=one_line,
            prose=prose,
            **values,
        )
    )


def prose(text: str, width: int) -> Markup:
    """Return a sentence of ours, cut at `width`, escaped, with what stands between backticks set as code."""
    parts = [escape(part) for part in one_line(text, width).split("`")]
    if len(parts) % 2 == 0:  # a tick without its partner is a tick
        parts[-2:] = [parts[-2] + "`" + parts[-1]]
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else part for number, part in enumerate(parts)
    )


def content_security_policy(css: str) -> str:
    """Return the policy: nothing may be loaded, run, framed or submitted; only this style sheet applies."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def package_text(name: str) -> str:
    """Return a text file of this package."""
    return resources.files("firstfault.agent.render").joinpath(name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_shown, loader=FunctionLoader(package_text)
    )


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
