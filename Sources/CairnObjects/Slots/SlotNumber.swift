import CairnModel

/// The number of a property among the properties of the same kind of storage.
protocol SlotNumber: Hashable, Sendable {
    /// The index of the property's element in a ``PerSlot``, or in memory with the same order.
    var index: Int { get }
}
