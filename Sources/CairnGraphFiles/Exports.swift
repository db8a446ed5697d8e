// The calls take and return types of that module.
@_exported import CairnStoreCopying
