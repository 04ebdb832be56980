import time
import unittest


class Hang(unittest.TestCase):
    def test_a_passes(self):
        pass

    def test_b_hangs(self):
        time.sleep(60)
