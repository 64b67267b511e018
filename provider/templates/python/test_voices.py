import json
import os
import unittest
from urllib.request import Request, urlopen

from pulumi import automation


def emulator(method, path):
    """Asks the emulator, which `npm test` starts."""
    with urlopen(Request(os.environ["CLOUDVOICE_BASE_URL"] + path, method=method)) as response:
        return json.load(response)


class Voices(unittest.TestCase):
    def test_a_second_update_pays_for_nothing_and_destroy_deletes_all_voices(self):
        stack = automation.select_stack("dev", work_dir=os.path.dirname(os.path.abspath(__file__)))
        stack.destroy()
        emulator("POST", "/_emulator/reset")

        outputs = stack.up().outputs
        state = emulator("GET", "/_emulator/state")
        self.assertIn(outputs["voice"].value, [row["voice"] for row in state["voices"]])
        self.assertLessEqual(state["summary"]["charge"], 0.05)

        stack.up()
        self.assertEqual(emulator("GET", "/_emulator/state")["summary"]["charge"], state["summary"]["charge"])

        stack.destroy()
        self.assertEqual(emulator("GET", "/_emulator/state")["voices"], [])


if __name__ == "__main__":
    unittest.main()
