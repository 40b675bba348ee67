"""What is an e-mail address, and which are the same."""

import pytest

from api.account.address import Address, read_address


@pytest.mark.parametrize(
    ("text", "mailbox", "account"),
    [
        ("kari@example.com", "kari@example.com", "kari@example.com"),
        ("Kari.N+sol@EXAMPLE.com", "Kari.N+sol@example.com", "kari.n+sol@example.com"),
        ("KARI@BLÅBÆR.no", "KARI@xn--blbr-roah.no", "kari@xn--blbr-roah.no"),
        ("kari@xn--blbr-roah.no", "kari@xn--blbr-roah.no", "kari@xn--blbr-roah.no"),
        (" \tkari@example.com\u00a0\r\n", "kari@example.com", "kari@example.com"),
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
        "kari@",
        "kari@localhost",
        "kari@example",
        "@example.com",
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
        "kari@example.com\nBcc: ola@example.com",
        "kari\r\nDATA@example.com",
        "kari@example.com\r\n\r\nHei",
        "kari@exam\u2028ple.com",
        "kari@example.com\0",
        " ",
        "kari @example.com",
        "kari@ example.com",
        "kari>@example.com",
        "=?utf-8?q?kari?=@example.com",
        "=?utf-8?q?=6bari?=@example.com",
        "=?us-ascii?q?kari?=@example.com",
        "=?utf-8?b?a2FyaQ==?=@example.com",
        "=?utf-8?q?victim=40evil.com=2C?=@example.com",
        "=?utf-8?q?a=0d=0aBcc=3a?=@example.com",
        "kari=?@example.com",
        "kari@" + ".".join(["x" * 60] * 4) + ".example.com",
    ],
)
def test_what_is_none(text: str) -> None:
    assert read_address(text) is None
