// Tests need only this import, because they also use `Cairn`.
@_exported import Cairn
