import CairnModel
import CairnRows
import Foundation

/// A type whose values can be stored in an attribute.
///
/// An enum with raw values conforms by declaring the conformance. If the store contains a raw value that the
/// enum does not have, an optional property reads as `nil`, and a non-optional property reads as
/// ``valueOfNil``, which is the first case unless the enum declares another. Both report the failure.
///
/// ```swift
/// enum Genre: String, CaseIterable, AttributeValue { case novel, poems, travel }
///
/// final class Book: ManagedObject {
///     @Managed var genre: Genre?
/// }
/// ```
public protocol AttributeValue: ManagedProperty, OptionalProperty {
    /// The attribute types that can hold values of this type.
    static var attributeTypes: [AttributeType] { get }

    /// Whether a non-optional property of this type may stand for an attribute that may be `nil`. Numbers and
    /// Booleans allow this.
    static var readsNilAsZero: Bool { get }

    /// The value that a non-optional property returns if the attribute is `nil`.
    static var valueOfNil: Self { get }

    /// Creates an instance from the value of an attribute. Returns `nil` if this type has no such value.
    init?(attributeValue: Value)

    /// This instance as an attribute value.
    var attributeValue: Value { get }

    /// Returns whether ``packedValue(_:)`` can read the values of a slot.
    static func readsPacked(_ slot: RowLayout.Slot) -> Bool

    /// Returns the value in a packed row. Returns `nil` if this type has no such value.
    ///
    /// - Precondition: ``readsPacked(_:)`` returns `true` for the slot, and the value is not `nil`.
    static func packedValue(_ value: PackedValue) -> Self?
}

extension AttributeValue {
    /// Whether `nil` is read as zero. The default is `false`.
    public static var readsNilAsZero: Bool { false }

    /// The default implementation returns `false`.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool { false }

    /// The default implementation returns `nil`.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Self? { nil }

    /// An attribute of one of ``attributeTypes``. It must be required, unless this type reads `nil` as zero.
    public static var shape: PropertyShape {
        .attribute(attributeTypes, isOptional: readsNilAsZero)
    }
    /// An attribute of one of ``attributeTypes``, optional or required.
    public static var optionalShape: PropertyShape { .attribute(attributeTypes, isOptional: true) }

    /// Returns the value from the object's packed row. Returns `nil` if only the general path can read the
    /// value.
    @inlinable @inline(__always)
    public static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let values = object.ownValues, let layoutSlot = object.layoutSlot(of: slot),
            // In a row, a number that is `nil` is stored as zero.
            readsPacked(layoutSlot), readsNilAsZero || !values.isNull(layoutSlot)
        else { return nil }
        return packedValue(PackedValue(values: values, slot: layoutSlot))
    }

    /// Returns the value from the object's packed row. Returns `nil` if the value is `nil` or only the
    /// general path can read it.
    @inlinable @inline(__always)
    public static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let values = object.ownValues, let layoutSlot = object.layoutSlot(of: slot),
            readsPacked(layoutSlot), !values.isNull(layoutSlot)
        else { return nil }
        return packedValue(PackedValue(values: values, slot: layoutSlot))
    }

    /// Returns whether the value is known to be `nil` from the object's packed row.
    @inlinable @inline(__always)
    public static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool {
        guard let values = object.ownValues, let layoutSlot = object.layoutSlot(of: slot),
            readsPacked(layoutSlot)
        else { return false }
        return values.isNull(layoutSlot)
    }

    /// Returns the value of the attribute, or ``valueOfNil`` if the attribute is `nil` or cannot be read.
    public static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Self {
        generalOptional(of: object, at: slot) ?? valueOfNil
    }

    /// Returns the value of the attribute. If this type does not have the value, reports that and returns
    /// `nil`.
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

    /// Sets the attribute. If it cannot be set, reports the failure.
    @inlinable
    public static func setValue(_ value: Self, of object: ManagedObject, at slot: ClassSlot) {
        object.setMarkedValue(value.attributeValue, at: slot)
    }

    /// Sets the attribute to a value or to `nil`. If it cannot be set, reports the failure.
    public static func setOptional(_ value: Self?, of object: ManagedObject, at slot: ClassSlot) {
        object.setMarkedValue(value?.attributeValue ?? .null, at: slot)
    }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// The attribute types that can hold the raw values.
    public static var attributeTypes: [AttributeType] { RawValue.attributeTypes }
    /// Creates the case with a raw value. Returns `nil` if the enum does not have this raw value.
    public init?(attributeValue: Value) {
        guard let raw = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: raw)
    }
    /// The raw value as an attribute value.
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
    /// The first case. An enum can declare another value.
    public static var valueOfNil: Self {
        guard let first = allCases.first else { preconditionFailure("\(Self.self) has no case") }
        return first
    }
}
