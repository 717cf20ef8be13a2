from firstfault.agent.deliberation.lines import find_lines, unexplained_lines
from tests.agent.deliberation.views import document


def test_equal_lines_are_folded_and_documents_take_turns() -> None:
    noisy = document("".join(f"error {n}: disk {n} gone\n" for n in range(1000)) + "fatal: other\n", path="a")
    quiet = document("all fine\nconnection refused\n", path="b")
    found = unexplained_lines([noisy, quiet], set(), limit=10)
    assert [(item.path, item.excerpt) for item in found] == [
        ("a", "error 0: disk 0 gone"),
        ("b", "connection refused"),
        ("a", "fatal: other"),
    ]


def test_lines_that_a_signal_cites_are_explained() -> None:
    log = document("error one\nerror other thing\n", path="a")
    assert [item.line_start for item in unexplained_lines([log], {("a", 1)}, limit=5)] == [2]


def test_a_search_counts_all_and_shows_the_ends() -> None:
    log = document("".join(f"hit {n}\r\n" for n in range(10)))
    found = find_lines([log], "HIT", head=2, tail=1)
    assert found.total == 10
    assert [item.excerpt for item in found.rows] == ["hit 0", "hit 1", "hit 9"]


def test_odd_documents_are_no_trouble() -> None:
    for text in ("", "\n", "\x00\x00", "no newline error", "\ufeff error\n"):
        unexplained_lines([document(text)], set(), limit=5)
        find_lines([document(text)], "error", head=1, tail=1)
