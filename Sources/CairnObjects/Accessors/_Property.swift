import CairnModel
import CairnRows

/// What the accessors of a class use that the compiler inlines into the program, and that is therefore public.
public enum _Property {
    /// The offset, in bytes, of a ``Managed`` property's mark in an object. It is the number of the property in its
    /// class. ``MarkedSlots`` is the only way to convert it to a ``RowSlot``.
    @frozen public struct Mark {
        /// Only this file reads the number, so that it is not mistaken for the number of a ``RowSlot``.
        @usableFromInline let bytes: Int

        /// In an optimised build, the offset is a constant, so only a number remains of this call.
        @inlinable @inline(__always) public init<Object: AnyObject, Content>(
            of mark: ReferenceWritableKeyPath<Object, Content>, in object: Object
        ) {
            let start = Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())
            let position = withUnsafeMutablePointer(to: &object[keyPath: mark]) {
                Int(bitPattern: $0)
            }
            bytes = position &- start
        }

        /// Creates the mark of a class that reflection found.
        package init(bytes: Int) { self.bytes = bytes }

        /// Returns the element for the mark, or `nil` if there is no element for it.
        package func element<Element>(in elements: ContiguousArray<Element?>) -> Element? {
            elements.indices.contains(bytes) ? elements[bytes] : nil
        }
    }

    /// A value in a packed row. It is valid only while the row is being read.
    public struct Packed {
        @usableFromInline let values: RowPointer
        @usableFromInline let slot: RowLayout.Slot

        @inlinable init(values: RowPointer, slot: RowLayout.Slot) {
            self.values = values
            self.slot = slot
        }
    }

    /// The kind of property that a class declares, for comparison with the model.
    public enum Shape: Sendable {
        /// An attribute of one of the types. If `isOptional` is `false`, the attribute must be required.
        case attribute([AttributeType], isOptional: Bool)
        /// A to-one relationship whose destination is an object of the class.
        case toOne(ManagedObject.Type)
        /// A to-many relationship whose members are objects of the class.
        case toMany(ManagedObject.Type, isOrdered: Bool)
    }

    /// Returns the destination of a to-one relationship if it is registered in the context and its class is
    /// exactly `type`, which is a class of managed objects.
    @inlinable @inline(__always) static func destination<Destination>(
        of object: ManagedObject, at mark: Mark, as type: Destination.Type
    ) -> Destination? {
        guard let found = object.registeredDestination(at: mark) else { return nil }
        let destination = found.object
        // A cast calls the runtime, which costs more than finding the object.
        let isExact = ObjectIdentifier(Swift.type(of: destination)) == ObjectIdentifier(type)
        return isExact ? unsafeBitCast(destination, to: type) : nil
    }
}

/// A type whose optional can be the type of a ``Managed`` property. Its requirements are those of
/// ``ManagedProperty`` for the optional type.
public protocol _OptionalProperty: SendableMetatype {
    /// The kind of property that the model must contain.
    static var _optionalShape: _Property.Shape { get }

    /// Returns the value if it is not `nil` and a few loads from memory are enough to find it. Otherwise,
    /// returns `nil`.
    static func _quickPresent(of object: ManagedObject, at mark: _Property.Mark) -> Self?

    /// Returns whether a few loads from memory are enough to find that the value is `nil`.
    static func _isQuicklyNil(of object: ManagedObject, at mark: _Property.Mark) -> Bool

    /// Returns the value by the general path.
    static func _generalOptional(of object: ManagedObject, at mark: _Property.Mark) -> Self?

    /// Returns an arbitrary value.
    static func _optionalProbeValue(_ destination: ManagedObject?) -> Self?

    /// Sets the value.
    static func _setOptional(_ value: Self?, of object: ManagedObject, at mark: _Property.Mark)
}

extension Optional: ManagedProperty where Wrapped: _OptionalProperty {
    /// The shape that the wrapped type gives for optional properties.
    public static var _shape: _Property.Shape { Wrapped._optionalShape }

    /// Returns the value, which may be `nil`, if a few loads from memory are enough to find it.
    @inlinable @inline(__always)
    public static func _quickValue(of object: ManagedObject, at mark: _Property.Mark) -> Wrapped?? {
        // The compiler knows whether the type is a class. A call through the conformance of a class is not
        // inlined, and would double the time of following a to-one.
        if _canBeClass(Wrapped.self) == 1 {
            return _Property.destination(of: object, at: mark, as: Wrapped.self).map { .some($0) }
        }
        if let value = Wrapped._quickPresent(of: object, at: mark) { return value }
        return Wrapped._isQuicklyNil(of: object, at: mark) ? .some(nil) : nil
    }

    /// Returns the value by the general path. If it cannot be read, reports the failure.
    public static func _generalValue(of object: ManagedObject, at mark: _Property.Mark) -> Wrapped?
    {
        Wrapped._generalOptional(of: object, at: mark)
    }

    /// Returns an arbitrary value that is not `nil`.
    public static func _probeValue(_ destination: ManagedObject?) -> Wrapped? {
        Wrapped._optionalProbeValue(destination)
    }

    /// Sets the value. If it cannot be set, reports the failure.
    public static func _setValue(
        _ value: Wrapped?, of object: ManagedObject, at mark: _Property.Mark
    ) {
        Wrapped._setOptional(value, of: object, at: mark)
    }
}

/// A managed object as the value of a to-one relationship.
extension ManagedObject: _OptionalProperty {
    /// A to-one relationship to this class.
    public static var _optionalShape: _Property.Shape { .toOne(Self.self) }

    /// Returns the destination if it is registered in the context and its class is exactly this class.
    @inlinable @inline(__always)
    public static func _quickPresent(of object: ManagedObject, at mark: _Property.Mark) -> Self? {
        _Property.destination(of: object, at: mark, as: Self.self)
    }

    /// Returns `false`. Only the general path finds out.
    @inlinable @inline(__always)
    public static func _isQuicklyNil(of object: ManagedObject, at mark: _Property.Mark) -> Bool {
        false
    }

    /// Returns the destination. It is a fault unless it was fetched before. If it is not an instance of this
    /// class, because the class does not fit its entity, reports this and returns `nil`.
    public static func _generalOptional(of object: ManagedObject, at mark: _Property.Mark) -> Self?
    {
        guard let destination = object.markedDestination(at: mark) else { return nil }
        if let destination = destination as? Self { return destination }
        object.reportMisfit(of: destination, with: Self.self)
        return nil
    }

    /// Returns `destination`, the object that the to-one leads to.
    public static func _optionalProbeValue(_ destination: ManagedObject?) -> Self? {
        destination as? Self
    }

    /// Sets the destination, and updates the inverse. If it cannot be set, reports the failure.
    public static func _setOptional(
        _ value: ManagedObject?, of object: ManagedObject, at mark: _Property.Mark
    ) {
        object.setMarkedDestination(value, at: mark)
    }
}
