import CairnModel
import CairnStore
import Foundation

/// A type of attributes' values.
///
/// An enum with raw values conforms by saying so. If the store has a raw value that the enum does not know, an
/// optional property is nil, and another one is the first case, or ``valueOfNil`` if the enum says so; both
/// report the failure.
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

    /// Whether a property that is not optional may stand for an attribute that may be nil, as numbers and
    /// Booleans may.
    static var readsNilAsZero: Bool { get }

    /// What a property that is not optional has where the attribute is nil.
    static var valueOfNil: Self { get }

    /// Converts a value of the attribute. `nil` if there is no such value of this type.
    init?(attributeValue: Value)

    /// The value of the attribute.
    var attributeValue: Value { get }

    /// Whether ``packedValue(_:)`` reads the values of a slot.
    static func readsPacked(_ slot: RowLayout.Slot) -> Bool

    /// Returns the value in a packed row. Returns `nil` if there is no such value of this type.
    ///
    /// - Precondition: The type reads the values of the slot, and the value is not nil.
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
            // A row has zero where a number is nil.
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

    /// Returns the value. Reports one that this type does not know, and returns `nil`.
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
    /// Takes a raw value that the enum knows.
    public init?(attributeValue: Value) {
        guard let raw = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: raw)
    }
    /// The raw value as the value of an attribute.
    public var attributeValue: Value { rawValue.attributeValue }

    /// `false`.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool { RawValue.readsPacked(slot) }

    /// Returns `nil`.
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
