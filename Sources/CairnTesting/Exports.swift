// One import for tests: what they test is `Cairn`.
@_exported import Cairn
