import CairnModel
import CairnRows

/// A type whose values can be stored in an attribute.
///
/// An enum with raw values conforms by declaring the conformance. If the store contains a raw value that the
/// enum does not have, an optional property reads as `nil`, and a non-optional property reads as
/// ``valueOfNil``, which is the first case unless the enum declares another. Both report the failure.
/// Swift synthesizes `Codable` and `Sendable`, which `#Predicate` needs to compare with a value.
///
/// ```swift
/// enum Genre: String, CaseIterable, AttributeValue { case novel, poems, travel }
///
/// final class Book: ManagedObject {
///     @Managed var genre: Genre?
/// }
/// ```
public protocol AttributeValue: ManagedProperty, _OptionalProperty, Codable, Sendable {
    /// The attribute types that can hold values of this type.
    static var _attributeTypes: [AttributeType] { get }

    /// The value that a non-optional property returns if the attribute is `nil`.
    static var valueOfNil: Self { get }

    /// Creates an instance from the value of an attribute. Returns `nil` if this type has no such value.
    init?(_attributeValue attributeValue: Value)

    /// This instance as an attribute value.
    var _attributeValue: Value { get }

    /// Whether a non-optional property of this type may stand for an attribute that may be `nil`. Rows store a
    /// number or Boolean that is `nil` as zero.
    static var _readsNilAsZero: Bool { get }

    /// Returns whether ``_packedValue(_:)`` can read the values of a slot.
    static func _readsPacked(_ slot: RowLayout.Slot) -> Bool

    /// Returns the value in a packed row. Returns `nil` if this type has no such value.
    ///
    /// - Precondition: ``_readsPacked(_:)`` returns `true` for the slot.
    static func _packedValue(_ value: _Property.Packed) -> Self?
}

extension AttributeValue {
    /// The default is `false`.
    @inlinable public static var _readsNilAsZero: Bool { false }

    /// The default implementation returns `false`.
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool { false }

    /// The default implementation returns `nil`.
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Self? { nil }

    /// An attribute of one of ``_attributeTypes``. It must be required, unless this type reads `nil` as zero.
    public static var _shape: _Property.Shape {
        .attribute(_attributeTypes, isOptional: _readsNilAsZero)
    }
    /// An attribute of one of ``_attributeTypes``, optional or required.
    public static var _optionalShape: _Property.Shape {
        .attribute(_attributeTypes, isOptional: true)
    }

    /// Returns the value from the object's packed row. Returns `nil` if only the general path can read the
    /// value.
    @inlinable @inline(__always)
    public static func _quickValue(of object: ManagedObject, at mark: _Property.Mark) -> Self? {
        guard let values = object.ownValues, let slot = object.layoutSlot(of: mark),
            _readsPacked(slot), _readsNilAsZero || !values.isNull(slot)
        else { return nil }
        return _packedValue(_Property.Packed(values: values, slot: slot))
    }

    /// Returns the value from the object's packed row. Returns `nil` if the value is `nil` or only the
    /// general path can read it.
    @inlinable @inline(__always)
    public static func _quickPresent(of object: ManagedObject, at mark: _Property.Mark) -> Self? {
        guard let values = object.ownValues, let slot = object.layoutSlot(of: mark),
            _readsPacked(slot), !values.isNull(slot)
        else { return nil }
        return _packedValue(_Property.Packed(values: values, slot: slot))
    }

    /// Returns whether the value is known to be `nil` from the object's packed row.
    @inlinable @inline(__always)
    public static func _isQuicklyNil(of object: ManagedObject, at mark: _Property.Mark) -> Bool {
        guard let values = object.ownValues, let slot = object.layoutSlot(of: mark),
            _readsPacked(slot)
        else { return false }
        return values.isNull(slot)
    }

    /// Returns the value of the attribute, or ``valueOfNil`` if the attribute is `nil` or cannot be read.
    public static func _generalValue(of object: ManagedObject, at mark: _Property.Mark) -> Self {
        _generalOptional(of: object, at: mark) ?? valueOfNil
    }

    /// Returns the value of the attribute. If this type does not have the value, reports that and returns
    /// `nil`.
    public static func _generalOptional(of object: ManagedObject, at mark: _Property.Mark) -> Self?
    {
        let value = object.markedValue(at: mark)
        if value.isNull { return nil }
        if let converted = Self(_attributeValue: value) { return converted }
        object.reportUnknown(value, at: mark, for: Self.self)
        return nil
    }

    /// Returns ``valueOfNil``.
    public static func _probeValue(_ destination: ManagedObject?) -> Self { valueOfNil }
    /// Returns ``valueOfNil``.
    public static func _optionalProbeValue(_ destination: ManagedObject?) -> Self? { valueOfNil }

    /// Sets the attribute. If it cannot be set, reports the failure.
    @inlinable
    public static func _setValue(_ value: Self, of object: ManagedObject, at mark: _Property.Mark) {
        object.setMarkedValue(value._attributeValue, at: mark)
    }

    /// Sets the attribute to a value or to `nil`. If it cannot be set, reports the failure.
    public static func _setOptional(
        _ value: Self?, of object: ManagedObject, at mark: _Property.Mark
    ) {
        object.setMarkedValue(value?._attributeValue ?? .null, at: mark)
    }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// The attribute types that can hold the raw values.
    public static var _attributeTypes: [AttributeType] { RawValue._attributeTypes }
    /// Creates the case with a raw value. Returns `nil` if the enum does not have this raw value.
    public init?(_attributeValue attributeValue: Value) {
        guard let raw = RawValue(_attributeValue: attributeValue) else { return nil }
        self.init(rawValue: raw)
    }
    /// The raw value as an attribute value.
    public var _attributeValue: Value { rawValue._attributeValue }

    /// Whether rows can be read: the same as for the raw value's type.
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool { RawValue._readsPacked(slot) }

    /// Returns the case for the raw value in a packed row, or `nil` if the enum has no such case.
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Self? {
        RawValue._packedValue(value).flatMap(Self.init(rawValue:))
    }
}

extension AttributeValue where Self: CaseIterable {
    /// The first case. An enum can declare another value.
    public static var valueOfNil: Self {
        guard let first = allCases.first else { preconditionFailure("\(Self.self) has no case") }
        return first
    }
}
