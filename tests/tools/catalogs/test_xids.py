from firstfault.tools.catalogs.xids import dcgm_actions, sxid_entries, xid_entries


def test_the_catalogue_keeps_what_each_says_apart() -> None:
    entry = xid_entries()[94]
    says = dict(entry.says)
    assert says["nvidia"] == "RESTART_APP"
    assert "REBOOT_SYSTEM" in says["gpud"]
    assert entry.disagreement


def test_who_does_not_list_a_code_says_nothing() -> None:
    assert "azure" not in dict(xid_entries()[94].says)


def test_every_code_has_a_meaning_a_layer_and_a_source() -> None:
    assert all(entry.meaning and entry.layer and entry.sources for entry in xid_entries().values())
    assert all(entry.meaning and entry.sources for entry in sxid_entries().values())
    assert len(sxid_entries()) == 420
    assert dcgm_actions()["DCGM_FR_FALLEN_OFF_BUS"]
