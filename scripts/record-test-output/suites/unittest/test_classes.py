import unittest


class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("setup broke")

    def test_one(self):
        pass

    def test_two(self):
        pass


class Skipped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("no database")

    def test_one(self):
        pass


class Good(unittest.TestCase):
    def test_subtests(self):
        for i in range(4):
            with self.subTest(i=i):
                self.assertEqual(i % 2, 0)

    def test_one(self):
        pass
