import pytest


def test_adds():
    assert 1 + 1 == 2


def test_compares():
    assert 1 == 2


@pytest.mark.skip(reason="no")
def test_skipped():
    pass


@pytest.mark.xfail
def test_expected_failure():
    assert 0


@pytest.fixture
def broken():
    raise RuntimeError("setup broke")


def test_setup_error(broken):
    pass
