import unittest


class Mixed(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 2)

    def test_compares(self):
        """Has a description."""
        self.assertEqual({"a": 1}, {"a": 2})

    @unittest.skip("not now")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.fail("as expected")

    @unittest.expectedFailure
    def test_unexpected(self):
        pass

    def test_throws(self):
        raise TypeError("boom\nsecond line")

    def test_prints(self):
        print("Ran 9 tests in 0.001s\n\nOK")
