import CairnModel
import CairnStore

// The numbers that the model gives to properties. They are made in this file alone, from what the
// model and its row layouts say, so that no other number is taken for one of them.

/// A number of a property among those of its kind.
protocol SlotNumber: Hashable, Sendable {
    /// The position of the property's element in a ``PerSlot``, or in memory of that order.
    var index: Int { get }
}

/// The number of an attribute or to-one in the packed rows of its entity: see
/// ``CairnModel/PropertyStorage/row(slot:)``.
///
/// The accessors of a class have numbers of their own: see ``ClassSlot``.
struct RowSlot: SlotNumber {
    let index: Int

    fileprivate init(_ index: Int) {
        self.index = index
    }
}

/// The number of a property that only objects have, a to-many or transient one: see
/// ``CairnModel/PropertyStorage/object(slot:)``.
struct ObjectSlot: SlotNumber {
    let index: Int

    fileprivate init(_ index: Int) {
        self.index = index
    }
}

/// Where an object has the value of a property.
enum PropertySlot: Hashable, Sendable {
    case row(RowSlot)
    case object(ObjectSlot)
    /// Nowhere: a fetched property.
    case none

    init(of property: Property) { self.init(property.storage) }
    init(of attribute: Attribute) { self.init(attribute.storage) }
    init(of relationship: Relationship) { self.init(relationship.storage) }

    private init(_ storage: PropertyStorage) {
        self =
            switch storage {
            case .row(let slot): .row(RowSlot(slot))
            case .object(let slot): .object(ObjectSlot(slot))
            case .none: .none
            }
    }

    /// `nil` for a property that rows do not hold.
    var rowSlot: RowSlot? { if case .row(let slot) = self { slot } else { nil } }
    /// `nil` for a property that rows hold, and for a fetched one.
    var objectSlot: ObjectSlot? { if case .object(let slot) = self { slot } else { nil } }
}

extension RowLayout {
    /// All slots, in the order of their numbers.
    var rowSlots: some RandomAccessCollection<RowSlot> { slots.indices.lazy.map(RowSlot.init) }

    /// Whether rows have the slot.
    func contains(_ slot: RowSlot) -> Bool { slot.index < slots.count }

    /// Where rows hold the value of a slot.
    subscript(slot: RowSlot) -> Slot { slots[slot.index] }

    /// Returns the property of a slot.
    func property(at slot: RowSlot) -> Property { properties[slot.index] }

    /// Returns the property whose value is at a place.
    func property(at place: Slot) -> Property { properties[Int(place.index)] }
}

extension RowLayout.Slot {
    /// The number of the slot.
    var rowSlot: RowSlot { RowSlot(Int(index)) }
}

/// A set of row slots.
struct RowSlotSet: Sequence, Sendable {
    /// The set as engines get it.
    private(set) var numbers = SlotSet()

    /// Creates an empty set, which allocates nothing.
    init() {}

    /// Creates the set of the slots that the values are of.
    init(of values: PerSlot<RowSlot, Value>) {
        numbers = SlotSet(0..<values.count)
    }

    var isEmpty: Bool { numbers.isEmpty }

    @inline(__always) func contains(_ slot: RowSlot) -> Bool { numbers.contains(slot.index) }

    /// Whether all slots with a number below this one are in the set.
    func containsAll(below end: Int) -> Bool { numbers.containsAll(below: end) }

    mutating func insert(_ slot: RowSlot) { numbers.insert(slot.index) }
    mutating func remove(_ slot: RowSlot) { numbers.remove(slot.index) }
    mutating func formUnion(_ other: RowSlotSet) { numbers.formUnion(other.numbers) }

    /// The slots, from low numbers to high ones.
    func makeIterator() -> Iterator { Iterator(numbers: numbers.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var numbers: SlotSet.Iterator

        mutating func next() -> RowSlot? { numbers.next().map(RowSlot.init) }
    }
}
