import CairnModel
import CairnRows
import CairnStack
import Foundation

/// Typed writes by row slot, for generated setters. This is also the fastest way to fill new objects.
///
/// The types ensure that the value fits, so these methods do not throw. If an object is no longer in its
/// store, or its row cannot be fetched, nothing changes, and ``ManagedObjectContext/faultFailureHandler``
/// is called. To-one relationships are set at both ends.
///
/// - Precondition: For all of these methods, the calling thread is in a turn of the object's context, and
///   the slot belongs to the entity and has the setter's type. An integer slot accepts integers of its
///   own width and narrower ones.
extension ManagedObject {
    /// Sets any attribute to `nil`.
    public final func setNil(at slot: ClassSlot) { assign(.null, at: slot, \.isAttribute) }

    /// Sets an integer attribute of any width.
    public final func setInt16(_ value: Int16, at slot: ClassSlot) {
        assign(.integer(Int64(value)), at: slot) { $0 == .int16 || $0 == .int32 || $0 == .int64 }
    }

    /// Sets an integer attribute of 32 or 64 bits.
    public final func setInt32(_ value: Int32, at slot: ClassSlot) {
        assign(.integer(Int64(value)), at: slot) { $0 == .int32 || $0 == .int64 }
    }

    /// Sets an integer attribute of 64 bits.
    public final func setInt64(_ value: Int64, at slot: ClassSlot) {
        assign(.integer(value), at: slot) { $0 == .int64 }
    }

    /// Sets a double attribute.
    public final func setDouble(_ value: Double, at slot: ClassSlot) {
        assign(.double(value), at: slot) { $0 == .double }
    }

    /// Sets a float attribute.
    public final func setFloat(_ value: Float, at slot: ClassSlot) {
        assign(.float(value), at: slot) { $0 == .float }
    }

    /// Sets a Boolean attribute.
    public final func setBool(_ value: Bool, at slot: ClassSlot) {
        assign(.boolean(value), at: slot) { $0 == .boolean }
    }

    /// Sets a string attribute, or sets it to `nil`.
    public final func setString(_ value: String?, at slot: ClassSlot) {
        assign(value.map(Value.string) ?? .null, at: slot) { $0 == .string }
    }

    /// Sets a date attribute, or sets it to `nil`.
    public final func setDate(_ value: Date?, at slot: ClassSlot) {
        assign(value.map(Value.date) ?? .null, at: slot) { $0 == .date }
    }

    /// Sets a UUID attribute, or sets it to `nil`.
    public final func setUUID(_ value: UUID?, at slot: ClassSlot) {
        assign(value.map(Value.uuid) ?? .null, at: slot) { $0 == .uuid }
    }

    /// Sets a decimal attribute, or sets it to `nil`.
    public final func setDecimal(_ value: Decimal?, at slot: ClassSlot) {
        assign(value.map(Value.decimal) ?? .null, at: slot) { $0 == .decimal }
    }

    /// Sets a URI attribute, or sets it to `nil`.
    public final func setURI(_ value: URL?, at slot: ClassSlot) {
        assign(value.map(Value.uri) ?? .null, at: slot) { $0 == .uri }
    }

    /// Sets the bytes of a binary or transformable attribute.
    public final func setData(_ value: Data?, at slot: ClassSlot) {
        let isTransformable = knownLayoutSlot(of: slot).kind == .transformable
        assign(value.map { isTransformable ? .transformable($0) : .binary($0) } ?? .null, at: slot)
        {
            $0 == .binary || $0 == .externalBinary || $0 == .transformable
        }
    }

    /// Sets a to-one relationship, at both ends.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public final func setObject(_ object: ManagedObject?, at slot: ClassSlot) throws(GraphError) {
        checkTurnToChange()
        let layoutSlot = knownLayoutSlot(of: slot)
        guard let binding = kind.toOne(at: layoutSlot.rowSlot) else {
            throw .wrongType(
                entity: entity.name, property: kind.layout.property(at: layoutSlot).name,
                expected: "a value, because it is not a to-one relationship",
                found: "a managed object")
        }
        try relations.setDestination(object, of: self, binding)
    }

    @inline(__always)
    private final func assign(
        _ value: Value, at slot: ClassSlot, _ takes: (RowLayout.Kind) -> Bool
    ) {
        checkTurnToChange()
        let layoutSlot = knownLayoutSlot(of: slot)
        precondition(
            takes(layoutSlot.kind),
            "\(kind.entity.name).\(kind.layout.property(at: layoutSlot).name) has another type:"
                + " \(layoutSlot.kind)")
        if let known = insertedValuePointer(of: layoutSlot.rowSlot) {
            known.pointee = value
        } else {
            writeReporting(value, at: layoutSlot.rowSlot)
        }
    }

    private final func writeReporting(_ value: Value, at slot: RowSlot) {
        do throws(GraphError) {
            try write(value, at: slot)
        } catch {
            report(error)
        }
    }
}

extension RowLayout.Kind {
    fileprivate var isAttribute: Bool { self != .toOne }
}
