"""What is an e-mail address, and which are the same."""

import pytest

from api.core.email_address import Address, read_address


@pytest.mark.parametrize(
    ("text", "mailbox", "account"),
    [
        ("Kari.N+sol@EXAMPLE.com", "Kari.N+sol@example.com", "kari.n+sol@example.com"),
        ("KARI@BLÅBÆR.no", "KARI@xn--blbr-roah.no", "kari@xn--blbr-roah.no"),
        (" " * 300 + "kari@example.com", "kari@example.com", "kari@example.com"),
        ("k" * 64 + "@example.com", "k" * 64 + "@example.com", "k" * 64 + "@example.com"),
    ],
)
def test_what_is_one(text: str, mailbox: str, account: str) -> None:
    assert read_address(text) == Address(mailbox, account)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kari",
        "kari@localhost",
        "kari@@example.com",
        "Kari <kari@example.com>",
        "kari@example.com,ola@example.com",
        "kari@[127.0.0.1]",
        '"kari nordmann"@example.com',
        "kåre@example.com",
        "k" * 65 + "@example.com",
        "k@" + "x." * 130 + "com",
        "kari@example.com" + "x" * 100_000,
        "kari@example.com\r\nBcc: ola@example.com",
        "kari@exam\u2028ple.com",
        "kari@example.com\0",
        "kari @example.com",
        "=?utf-8?q?victim=40evil.com=2C?=@example.com",
        "kari@" + ".".join(["x" * 60] * 4) + ".example.com",
    ],
)
def test_what_is_none(text: str) -> None:
    assert read_address(text) is None
