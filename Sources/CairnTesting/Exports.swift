// Tests need only one import, because this module exports `Cairn`.
@_exported import Cairn
