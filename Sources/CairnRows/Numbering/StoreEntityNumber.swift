import CairnModel

/// The number of an entity in a store. The entity may have another number in the model.
package struct StoreEntityNumber: RawRepresentable, Sendable, Hashable {
    /// The number, which starts at 1. The value 0 stands for no entity.
    package let rawValue: UInt16

    @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable package init(_ rawValue: UInt16) { self.rawValue = rawValue }
}
