import CairnModel
import CairnRows
import Foundation

// The Swift types of Core Data's attribute types. `AccessorTests` checks that the fast path of each type
// (`_packedValue(_:)`) reads the same values as the general path.

extension AttributeValue where Self: Numeric {
    /// Numbers are read as zero.
    @inlinable public static var _readsNilAsZero: Bool { true }
    /// Zero.
    public static var valueOfNil: Self { 0 }
}

extension Int: AttributeValue {}
extension Int64: AttributeValue {}
extension Int32: AttributeValue {}
extension Int16: AttributeValue {}

extension AttributeValue where Self: FixedWidthInteger & SignedInteger & BitwiseCopyable {
    /// The integer type of the same width.
    public static var _attributeTypes: [AttributeType] {
        switch bitWidth {
        case 16: [.integer16]
        case 32: [.integer32]
        case 64: [.integer64]
        default: []
        }
    }
    /// Creates the number from an integer. Returns `nil` for a number out of range and for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .integer(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
    /// The number as an attribute value.
    public var _attributeValue: Value { .integer(Int64(self)) }

    /// Returns whether the slot holds integers of the same width.
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        switch bitWidth {
        case 16: slot.code == RowLayout.Kind.int16.code
        case 32: slot.code == RowLayout.Kind.int32.code
        case 64: slot.code == RowLayout.Kind.int64.code
        default: false
        }
    }
    /// Returns the number.
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Self? {
        value.values.number(value.slot, as: Self.self)
    }
}

extension Double: AttributeValue {
    /// Double.
    public static var _attributeTypes: [AttributeType] { [.double] }
    /// Creates the number from a value of that type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as an attribute value.
    public var _attributeValue: Value { .double(self) }
    /// Returns whether the slot holds values of the attribute type.
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.double.code
    }
    /// Returns the number.
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Double? {
        value.values.double(value.slot)
    }
}

extension Float: AttributeValue {
    /// Float.
    public static var _attributeTypes: [AttributeType] { [.float] }
    /// Creates the number from a value of that type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .float(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as an attribute value.
    public var _attributeValue: Value { .float(self) }
    /// Returns whether the slot holds values of the attribute type.
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.float.code
    }
    /// Returns the number.
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Float? {
        value.values.float(value.slot)
    }
}

extension Bool: AttributeValue {
    /// Boolean.
    public static var _attributeTypes: [AttributeType] { [.boolean] }
    /// `nil` is read as `false`.
    @inlinable public static var _readsNilAsZero: Bool { true }
    /// `false`.
    public static var valueOfNil: Bool { false }
    /// Creates the Boolean from a value of that type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .boolean(let value) = attributeValue else { return nil }
        self = value
    }
    /// The Boolean as an attribute value.
    public var _attributeValue: Value { .boolean(self) }
    /// Returns whether the slot holds values of the attribute type.
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.boolean.code
    }
    /// Returns the Boolean.
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Bool? {
        value.values.number(value.slot, as: UInt8.self) != 0
    }
}

extension String: AttributeValue {
    /// String.
    public static var _attributeTypes: [AttributeType] { [.string] }
    /// An empty string.
    public static var valueOfNil: String { "" }
    /// Creates the string from a value of that type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
    /// The string as an attribute value.
    public var _attributeValue: Value { .string(self) }
    /// Returns whether the slot holds values of the attribute type.
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.string.code
    }
    /// Returns a new string with the row's bytes.
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> String? {
        value.values.string(value.slot)
    }
}

extension Date: AttributeValue {
    /// Date.
    public static var _attributeTypes: [AttributeType] { [.date] }
    /// The distant past.
    public static var valueOfNil: Date { .distantPast }
    /// Creates the date from a value of that type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
    /// The date as an attribute value.
    public var _attributeValue: Value { .date(self) }
    /// Returns whether the slot holds values of the attribute type.
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.date.code
    }
    /// Returns the date.
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Date? {
        Date(timeIntervalSinceReferenceDate: value.values.double(value.slot))
    }
}

extension UUID: AttributeValue {
    /// UUID.
    public static var _attributeTypes: [AttributeType] { [.uuid] }
    /// The UUID whose bytes are all zero.
    public static var valueOfNil: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// Creates the UUID from a value of that type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
    /// The UUID as an attribute value.
    public var _attributeValue: Value { .uuid(self) }
}

extension Decimal: AttributeValue {
    /// Decimal.
    public static var _attributeTypes: [AttributeType] { [.decimal] }
    /// Creates the number from a value of that type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as an attribute value.
    public var _attributeValue: Value { .decimal(self) }
}

extension URL: AttributeValue {
    /// URI.
    public static var _attributeTypes: [AttributeType] { [.uri] }
    /// `about:blank`.
    public static var valueOfNil: URL { URL(string: "about:blank")! }
    /// Creates the URL from a value of that type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .uri(let value) = attributeValue else { return nil }
        self = value
    }
    /// The URL as an attribute value.
    public var _attributeValue: Value { .uri(self) }
}

extension Data: AttributeValue {
    /// Binary Data, and Transformable for archived bytes.
    public static var _attributeTypes: [AttributeType] { [.binary, .transformable] }
    /// Empty data.
    public static var valueOfNil: Data { Data() }
    /// Creates the data from a value of either type. Returns `nil` for any other value.
    public init?(_attributeValue attributeValue: Value) {
        switch attributeValue {
        case .binary(let value), .transformable(let value): self = value
        default: return nil
        }
    }
    /// The bytes as an attribute value.
    public var _attributeValue: Value { .binary(self) }
}
