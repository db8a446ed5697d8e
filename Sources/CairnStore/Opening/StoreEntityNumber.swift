import CairnModel

/// The number that a store gives an entity. It may differ from the number in a model.
package struct StoreEntityNumber: RawRepresentable, Sendable, Hashable {
    /// From 1. 0 is no entity.
    package let rawValue: UInt16

    @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable package init(_ rawValue: UInt16) { self.rawValue = rawValue }
}
