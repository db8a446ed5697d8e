import CairnModel
import CairnRows
import CairnStack
@_spi(Reflection) import Swift
import Synchronization

/// The properties that a class and its superclasses declare with ``Managed``.
package struct ClassMarks: Sendable {
    /// One property that is declared with ``Managed``.
    package struct Mark: Sendable {
        package let name: String
        /// The offset of the mark in an object, in bytes.
        let offset: Int
        @usableFromInline package let type: any ManagedProperty.Type
    }

    /// The marks in source order. Those of superclasses come first.
    package let marks: [Mark]

    /// The marks of the classes that were looked up before. Reflecting a class takes microseconds.
    private static let known = Mutex<[ObjectIdentifier: ClassMarks]>([:])

    /// Returns the marks of a class.
    package static func of(_ objectClass: ManagedObject.Type) -> ClassMarks {
        known.withLock { known in
            let key = ObjectIdentifier(objectClass)
            if let found = known[key] { return found }
            let found = ClassMarks(reflecting: objectClass)
            known[key] = found
            return found
        }
    }

    /// The marks of a class whose instances are no managed objects, but stand for some. They have no type to check.
    package init(offsets: [(name: String, bytes: Int)]) {
        marks = offsets.map { Mark(name: $0.name, offset: $0.bytes, type: Int.self) }
    }

    /// Finds the class's stored properties by the standard library's reflection. The mark of the property
    /// `name` is stored as `_name`.
    private init(reflecting objectClass: ManagedObject.Type) {
        var marks: [Mark] = []
        let modelNames = objectClass.modelNames
        // `.classType`. Swift 6 does not allow its use, because it is declared as a `var`.
        let options = _EachFieldOptions(rawValue: 1)
        _ = _forEachField(of: objectClass, options: options) { name, offset, type, _ in
            if let mark = type as? any PropertyMark.Type {
                let name = String(String(cString: name).dropFirst())
                marks.append(
                    Mark(name: modelNames[name] ?? name, offset: offset, type: mark.property))
            }
            return true
        }
        self.marks = marks
    }
}

/// The protocol by which reflection recognizes a ``Managed`` property.
private protocol PropertyMark {
    static var property: any ManagedProperty.Type { get }
}

extension Managed: PropertyMark {
    fileprivate static var property: any ManagedProperty.Type { Value.self }
}

/// A table that maps the marks of a class to slots in the packed row.
@usableFromInline struct MarkedSlots {
    @usableFromInline let layoutSlots: FrozenElements<RowLayout.Slot>

    /// - Parameter table: A result of ``table(_:_:)``. The owner of the slots must also keep the table alive.
    init(_ table: FrozenTable<RowLayout.Slot>) { layoutSlots = table.elements }

    private init(noneOf slots: MarkedSlots) { layoutSlots = slots.layoutSlots.none }

    /// Returns the slots in the packed row by the offsets of the class's marks. The slot of a property that rows
    /// do not hold, and of each offset between marks, is never read by an accessor.
    static func table(
        _ layout: RowLayout, _ marks: [ClassMarks.Mark]
    ) -> FrozenTable<RowLayout.Slot> {
        let count = marks.reduce(0) { max($0, $1.offset + 1) }
        var slots = Array(repeating: RowLayout.Slot.unread, count: count)
        for (mark, number) in zip(marks, layout.slotNumbers(of: marks.map(\.name))) {
            if let number { slots[mark.offset] = layout.slots[number] }
        }
        return FrozenTable(slots)
    }

    /// A table without slots. It is valid only as long as this table.
    var none: MarkedSlots { MarkedSlots(noneOf: self) }

    /// Returns the slot in the packed row that holds the value of a marked property. Returns `nil` if the table
    /// has no slot for it.
    @inlinable @inline(__always) subscript(mark: _Property.Mark) -> RowLayout.Slot? {
        UInt(bitPattern: mark.bytes) < UInt(bitPattern: layoutSlots.count)
            ? layoutSlots[mark.bytes] : nil
    }
}

/// Access to the ``Managed`` properties of a class, by the offsets of their marks.
extension ManagedObject {
    /// Returns the value of a marked property by the general path, which works for every object.
    ///
    /// - Parameter path: The key path of the property. It is created only for an object that records reads.
    @inline(never) @usableFromInline
    final func generalMarkedValue<Value: ManagedProperty>(
        at mark: _Property.Mark, _ path: () -> AnyKeyPath
    ) -> Value {
        if let notes = kind.notes { return notes.value(of: markedProperty(at: mark), path()) }
        return Value._generalValue(of: self, at: mark)
    }

    /// Returns the value of a marked attribute. If it cannot be read, reports the failure and returns
    /// `.null`.
    package final func markedValue(at mark: _Property.Mark) -> Value {
        checkTurn()
        // The first read of a fault takes this path. It counts no reference for the property.
        if successor == nil, let slot = layoutSlot(of: mark), slot.kind != .composite {
            return reporting(.null) { () throws(GraphError) in try value(at: slot.rowSlot) }
        }
        guard case .attribute(let binding) = markedProperty(at: mark) else { return .null }
        let object = successor ?? self
        return object.reporting(.null) { () throws(GraphError) in try object.value(of: binding) }
    }

    /// Sets a marked attribute. If it cannot be set, reports the failure.
    @usableFromInline package final func setMarkedValue(_ value: Value, at mark: _Property.Mark) {
        checkTurnToChange()
        // An import takes this path for each value. It counts no reference.
        if let slot = kind.markedSlots[mark], slot.kind != .composite, value.fits(slot.kind),
            let known = insertedValuePointer(of: slot.rowSlot)
        {
            known.pointee = value
            return
        }
        guard case .attribute(let binding) = markedProperty(at: mark) else { return }
        var value = value
        if binding.isTransformable, case .binary(let bytes) = value {
            value = .transformable(bytes)
        } else if binding.hasTransformableElements {
            value = value.withArchives(of: binding.attribute)
        }
        guard value.fits(binding.type) else { return report(mismatchError(value, for: binding)) }
        reporting(()) { () throws(GraphError) in try set(value, of: binding) }
    }

    /// Returns the destination of a marked to-one relationship or reference. If it cannot be found, reports the
    /// failure and returns `nil`.
    final func markedDestination(at mark: _Property.Mark) -> ManagedObject? {
        checkTurn()
        let property = markedProperty(at: mark)
        let object = successor ?? self
        return object.reporting(nil) { () throws(GraphError) in
            switch property {
            case .relationship(let binding):
                guard let id = try object.readDestinationID(binding) else { return nil }
                return try object.presentContext.registeredOrFault(id)
            case .attribute(let binding):
                guard let lookup = binding.reference else { return nil }
                return try object.referencedObject(binding, lookup)
            case .fetchedProperty: return nil
            }
        }
    }

    /// Reports why the destination of a relationship is not an instance of a class.
    final func reportMisfit(
        of destination: ManagedObject, with destinationClass: ManagedObject.Type
    ) {
        guard let owner else { return report(.objectGone(objectID, absence)) }
        report(owner.kinds.refusal(of: destinationClass, for: destination.entity))
    }

    /// Sets the destination of a marked to-one relationship, and updates the inverse, or that of a reference. If
    /// this fails, reports the failure.
    final func setMarkedDestination(_ destination: ManagedObject?, at mark: _Property.Mark) {
        checkTurnToChange()
        let property = markedProperty(at: mark)
        reporting(()) { () throws(GraphError) in
            switch property {
            case .relationship(let binding):
                try relations.setDestination(destination, of: self, binding)
            case .attribute(let binding):
                guard let lookup = binding.reference else { return }
                try setReferencedObject(destination, binding, lookup)
            case .fetchedProperty: break
            }
        }
    }

    /// Returns the relationship of a marked to-many, and the object that currently holds its members.
    final func markedMembers(
        at mark: _Property.Mark
    ) -> (owner: ManagedObject, binding: RelationshipBinding)? {
        guard case .relationship(let binding) = markedProperty(at: mark) else { return nil }
        return (successor ?? self, binding)
    }

    /// Reports that a marked attribute has a value that its Swift type does not have.
    final func reportUnknown(_ value: Value, at mark: _Property.Mark, for type: Any.Type) {
        guard case .attribute(let binding) = markedProperty(at: mark) else { return }
        report(
            wrongType(
                binding.name, expected: "a value that \(type) can represent",
                found: "\(value.typeDescription) for which \(type) has no value"))
    }

    /// Runs the body. If it throws, reports the error and returns the fallback.
    final func reporting<Result>(
        _ fallback: Result, _ body: () throws(GraphError) -> Result
    ) -> Result {
        do {
            return try body()
        } catch {
            report(error)
            return fallback
        }
    }

    private final func markedProperty(at mark: _Property.Mark) -> PropertyBinding {
        guard let property = kind.markedProperty(at: mark) else {
            preconditionFailure("the class of \(kind.entity.name) has no property at \(mark)")
        }
        return property
    }
}
