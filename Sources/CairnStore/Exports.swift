// The contract's signatures consist of rows, so an engine's author imports both at once.
@_exported import CairnRows
