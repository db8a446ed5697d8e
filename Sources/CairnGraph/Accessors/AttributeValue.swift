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
    public static var readsNilAsZero: Bool { false }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool { false }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Self? { nil }

    public static var shape: PropertyShape { .attribute(attributeTypes, isOptional: readsNilAsZero) }
    public static var optionalShape: PropertyShape { .attribute(attributeTypes, isOptional: true) }

    @inlinable @inline(__always)
    public static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        quickPresent(of: object, at: slot)
    }

    @inlinable @inline(__always)
    public static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let values = object.ownValues, let layoutSlot = object.layoutSlot(of: slot),
            readsPacked(layoutSlot), !values.isNull(layoutSlot)
        else { return nil }
        return packedValue(PackedValue(values: values, slot: layoutSlot))
    }

    @inlinable @inline(__always)
    public static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool {
        guard let values = object.ownValues, let layoutSlot = object.layoutSlot(of: slot),
            readsPacked(layoutSlot)
        else { return false }
        return values.isNull(layoutSlot)
    }

    public static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Self {
        generalOptional(of: object, at: slot) ?? valueOfNil
    }

    public static func generalOptional(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        let value = object.markedValue(at: slot)
        if value.isNull { return nil }
        if let converted = Self(attributeValue: value) { return converted }
        object.reportUnknown(value, at: slot, for: Self.self)
        return nil
    }

    public static func probeValue(_ destination: ManagedObject?) -> Self { valueOfNil }
    public static func optionalProbeValue(_ destination: ManagedObject?) -> Self? { valueOfNil }

    @inlinable
    public static func setValue(_ value: Self, of object: ManagedObject, at slot: ClassSlot) {
        object.setMarkedValue(value.attributeValue, at: slot)
    }

    public static func setOptional(_ value: Self?, of object: ManagedObject, at slot: ClassSlot) {
        object.setMarkedValue(value?.attributeValue ?? .null, at: slot)
    }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    public static var attributeTypes: [AttributeType] { RawValue.attributeTypes }
    public init?(attributeValue: Value) {
        guard let raw = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: raw)
    }
    public var attributeValue: Value { rawValue.attributeValue }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool { RawValue.readsPacked(slot) }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Self? {
        RawValue.packedValue(value).flatMap(Self.init(rawValue:))
    }
}

extension AttributeValue where Self: CaseIterable {
    public static var valueOfNil: Self {
        guard let first = allCases.first else { preconditionFailure("\(Self.self) has no case") }
        return first
    }
}
