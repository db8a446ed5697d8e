import CairnModel
import CairnStore
import Foundation

/// A type whose values can be stored in attributes.
///
/// An enum with raw values only has to declare the conformance. If the store contains a raw value that the
/// enum does not have, the failure is reported, and the property reads as `nil` if it is optional. A property
/// that is not optional then reads as ``valueOfNil``, which is the first case unless the enum defines another
/// one.
///
/// ```swift
/// enum Genre: String, CaseIterable, AttributeValue { case novel, poems, travel }
///
/// final class Book: ManagedObject {
///     @Managed var genre: Genre?
/// }
/// ```
public protocol AttributeValue: ManagedProperty, OptionalProperty {
    /// The types of attributes that hold such values.
    static var attributeTypes: [AttributeType] { get }

    /// Whether a property of this type need not be optional although its attribute may be `nil`. `true` for
    /// numbers and Booleans.
    static var readsNilAsZero: Bool { get }

    /// The value of a property that is not optional if the attribute is `nil`.
    static var valueOfNil: Self { get }

    /// Converts a value of the attribute. Returns `nil` if the value cannot be converted to this type.
    init?(attributeValue: Value)

    /// The value of the attribute.
    var attributeValue: Value { get }

    /// Whether ``packedValue(_:)`` reads the values of a slot.
    static func readsPacked(_ slot: RowLayout.Slot) -> Bool

    /// Returns the value in a packed row. Returns `nil` if the value cannot be converted to this type.
    ///
    /// - Precondition: ``readsPacked(_:)`` returns `true` for the slot, and the value is not `nil`.
    static func packedValue(_ value: PackedValue) -> Self?
}

extension AttributeValue {
    /// `false`.
    public static var readsNilAsZero: Bool { false }

    /// `false`.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool { false }

    /// Returns `nil`.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Self? { nil }

    /// An attribute of one of the types, which is never nil unless nil is read as zero.
    public static var shape: PropertyShape {
        .attribute(attributeTypes, isOptional: readsNilAsZero)
    }
    /// An attribute of one of the types.
    public static var optionalShape: PropertyShape { .attribute(attributeTypes, isOptional: true) }

    /// Returns the value of the row, if it is not nil.
    @inlinable @inline(__always)
    public static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let values = object.ownValues, let layoutSlot = object.layoutSlot(of: slot),
            // If a number is `nil`, the row contains zero.
            readsPacked(layoutSlot), readsNilAsZero || !values.isNull(layoutSlot)
        else { return nil }
        return packedValue(PackedValue(values: values, slot: layoutSlot))
    }

    /// Returns the value of the row, if it is not nil.
    @inlinable @inline(__always)
    public static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let values = object.ownValues, let layoutSlot = object.layoutSlot(of: slot),
            readsPacked(layoutSlot), !values.isNull(layoutSlot)
        else { return nil }
        return packedValue(PackedValue(values: values, slot: layoutSlot))
    }

    /// Whether the row has nil.
    @inlinable @inline(__always)
    public static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool {
        guard let values = object.ownValues, let layoutSlot = object.layoutSlot(of: slot),
            readsPacked(layoutSlot)
        else { return false }
        return values.isNull(layoutSlot)
    }

    /// Returns the value, or ``valueOfNil`` if it is nil.
    public static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Self {
        generalOptional(of: object, at: slot) ?? valueOfNil
    }

    /// Returns the value, or `nil` if the attribute is `nil`. If the value cannot be converted to this type,
    /// reports the failure and returns `nil`.
    public static func generalOptional(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        let value = object.markedValue(at: slot)
        if value.isNull { return nil }
        if let converted = Self(attributeValue: value) { return converted }
        object.reportUnknown(value, at: slot, for: Self.self)
        return nil
    }

    /// Returns ``valueOfNil``.
    public static func probeValue(_ destination: ManagedObject?) -> Self { valueOfNil }
    /// Returns ``valueOfNil``.
    public static func optionalProbeValue(_ destination: ManagedObject?) -> Self? { valueOfNil }

    /// Sets the attribute.
    @inlinable
    public static func setValue(_ value: Self, of object: ManagedObject, at slot: ClassSlot) {
        object.setMarkedValue(value.attributeValue, at: slot)
    }

    /// Sets the attribute, or makes it nil.
    public static func setOptional(_ value: Self?, of object: ManagedObject, at slot: ClassSlot) {
        object.setMarkedValue(value?.attributeValue ?? .null, at: slot)
    }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// The types of attributes that hold raw values.
    public static var attributeTypes: [AttributeType] { RawValue.attributeTypes }
    /// Converts a raw value. Returns `nil` if the enum has no case with that raw value.
    public init?(attributeValue: Value) {
        guard let raw = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: raw)
    }
    /// The raw value as the value of an attribute.
    public var attributeValue: Value { rawValue.attributeValue }

    /// Whether ``packedValue(_:)`` reads the values of a slot: the same as for the raw value's type.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool { RawValue.readsPacked(slot) }

    /// Returns the case for the raw value in a packed row, or `nil` if the enum has no such case.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Self? {
        RawValue.packedValue(value).flatMap(Self.init(rawValue:))
    }
}

extension AttributeValue where Self: CaseIterable {
    /// The first case.
    public static var valueOfNil: Self {
        guard let first = allCases.first else { preconditionFailure("\(Self.self) has no case") }
        return first
    }
}
