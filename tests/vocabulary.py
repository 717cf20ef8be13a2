"""Tokens as OpenAI's o200k vocabulary counts them."""

import warnings

with warnings.catch_warnings():
    # The package opens its data with an interface that Python 3.11 calls deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it ships none

    _ENCODING = bpe_openai.get_encoding("o200k_base")


def tokens(text: str) -> int:
    """Return the number of tokens in `text`."""
    return len(_ENCODING.encode(text))
