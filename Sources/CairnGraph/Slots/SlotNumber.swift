import CairnModel
import CairnStore

/// A number of a property among those of its kind.
protocol SlotNumber: Hashable, Sendable {
    /// The position of the property's element in a ``PerSlot``, or in memory of that order.
    var index: Int { get }
}
