"""A unit test with Pulumi's mocks: what the program declares. It needs neither the engine nor the emulator."""

import runpy
import unittest

import pulumi

declared = {}


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        declared[args.name] = args.inputs
        # A catalog is one resource here, so the mock makes its manifest.
        manifest = {key: {"voice": f"voice of {key}"} for key in args.inputs["voices"]}
        return [f"id of {args.name}", {**args.inputs, "manifest": manifest}]

    def call(self, args):
        return {}


class Program(unittest.TestCase):
    @pulumi.runtime.test
    def test_every_voice_states_its_language_and_is_in_the_manifest(self):
        pulumi.runtime.set_mocks(Mocks())
        program = runpy.run_path("__main__.py")

        def check(manifest):
            voices = declared["voices"]["voices"]
            self.assertEqual(manifest.keys(), voices.keys())
            self.assertEqual([key for key, voice in voices.items() if "language" not in voice], [])

        return program["catalog"].manifest.apply(check)
