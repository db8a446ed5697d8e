import CairnModel
import CairnRows
import Foundation

// The Swift types of Core Data's attribute types. `AccessorTests` checks that the fast path of each type
// (`packedValue(_:)`) reads the same values as the general path.

extension Int: AttributeValue {
    /// The attribute types that hold this type: Integer 64.
    public static var attributeTypes: [AttributeType] { [.integer64] }
    /// Whether `nil` is read as zero. Always `true`.
    public static var readsNilAsZero: Bool { true }
    /// The value that `nil` is read as: zero.
    public static var valueOfNil: Int { 0 }
    /// Creates the number from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int(exactly: value) else {
            return nil
        }
        self = value
    }
    /// The number as an attribute value.
    public var attributeValue: Value { .integer(Int64(self)) }

    /// Returns whether the slot holds values of type Integer 64.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int64.code
    }

    /// Returns the number that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int? {
        Int(value.number(as: Int64.self))
    }
}

extension Int64: AttributeValue {
    /// The attribute types that hold this type: Integer 64.
    public static var attributeTypes: [AttributeType] { [.integer64] }
    /// Whether `nil` is read as zero. Always `true`.
    public static var readsNilAsZero: Bool { true }
    /// The value that `nil` is read as: zero.
    public static var valueOfNil: Int64 { 0 }
    /// Creates the number from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as an attribute value.
    public var attributeValue: Value { .integer(self) }

    /// Returns whether the slot holds values of type Integer 64.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int64.code
    }

    /// Returns the number that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int64? {
        value.number(as: Int64.self)
    }
}

extension Int32: AttributeValue {
    /// The attribute types that hold this type: Integer 32.
    public static var attributeTypes: [AttributeType] { [.integer32] }
    /// Whether `nil` is read as zero. Always `true`.
    public static var readsNilAsZero: Bool { true }
    /// The value that `nil` is read as: zero.
    public static var valueOfNil: Int32 { 0 }
    /// Creates the number from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int32(exactly: value) else {
            return nil
        }
        self = value
    }
    /// The number as an attribute value.
    public var attributeValue: Value { .integer(Int64(self)) }

    /// Returns whether the slot holds values of type Integer 32.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int32.code
    }

    /// Returns the number that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int32? {
        value.number(as: Int32.self)
    }
}

extension Int16: AttributeValue {
    /// The attribute types that hold this type: Integer 16.
    public static var attributeTypes: [AttributeType] { [.integer16] }
    /// Whether `nil` is read as zero. Always `true`.
    public static var readsNilAsZero: Bool { true }
    /// The value that `nil` is read as: zero.
    public static var valueOfNil: Int16 { 0 }
    /// Creates the number from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int16(exactly: value) else {
            return nil
        }
        self = value
    }
    /// The number as an attribute value.
    public var attributeValue: Value { .integer(Int64(self)) }

    /// Returns whether the slot holds values of type Integer 16.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int16.code
    }

    /// Returns the number that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int16? {
        value.number(as: Int16.self)
    }
}

extension Double: AttributeValue {
    /// The attribute types that hold this type: Double.
    public static var attributeTypes: [AttributeType] { [.double] }
    /// Whether `nil` is read as zero. Always `true`.
    public static var readsNilAsZero: Bool { true }
    /// The value that `nil` is read as: zero.
    public static var valueOfNil: Double { 0 }
    /// Creates the number from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as an attribute value.
    public var attributeValue: Value { .double(self) }

    /// Returns whether the slot holds values of type Double.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.double.code
    }

    /// Returns the number that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Double? {
        value.double
    }
}

extension Float: AttributeValue {
    /// The attribute types that hold this type: Float.
    public static var attributeTypes: [AttributeType] { [.float] }
    /// Whether `nil` is read as zero. Always `true`.
    public static var readsNilAsZero: Bool { true }
    /// The value that `nil` is read as: zero.
    public static var valueOfNil: Float { 0 }
    /// Creates the number from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .float(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as an attribute value.
    public var attributeValue: Value { .float(self) }

    /// Returns whether the slot holds values of type Float.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.float.code
    }

    /// Returns the number that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Float? {
        value.float
    }
}

extension Bool: AttributeValue {
    /// The attribute types that hold this type: Boolean.
    public static var attributeTypes: [AttributeType] { [.boolean] }
    /// Whether `nil` is read as zero. Always `true`.
    public static var readsNilAsZero: Bool { true }
    /// The value that `nil` is read as: `false`.
    public static var valueOfNil: Bool { false }
    /// Creates the Boolean from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .boolean(let value) = attributeValue else { return nil }
        self = value
    }
    /// The Boolean as an attribute value.
    public var attributeValue: Value { .boolean(self) }

    /// Returns whether the slot holds values of type Boolean.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.boolean.code
    }

    /// Returns the Boolean that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Bool? {
        value.number(as: UInt8.self) != 0
    }
}

extension String: AttributeValue {
    /// The attribute types that hold this type: String.
    public static var attributeTypes: [AttributeType] { [.string] }
    /// The value that `nil` is read as: an empty string.
    public static var valueOfNil: String { "" }
    /// Creates the string from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
    /// The string as an attribute value.
    public var attributeValue: Value { .string(self) }

    /// Returns whether the slot holds values of type String.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.string.code
    }

    /// Returns the string that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> String? {
        value.string
    }
}

extension Date: AttributeValue {
    /// The attribute types that hold this type: Date.
    public static var attributeTypes: [AttributeType] { [.date] }
    /// The value that `nil` is read as: the distant past.
    public static var valueOfNil: Date { .distantPast }
    /// Creates the date from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
    /// The date as an attribute value.
    public var attributeValue: Value { .date(self) }

    /// Returns whether the slot holds values of type Date.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.date.code
    }

    /// Returns the date that the packed row holds.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Date? {
        Date(timeIntervalSinceReferenceDate: value.double)
    }
}

extension UUID: AttributeValue {
    /// The attribute types that hold this type: UUID.
    public static var attributeTypes: [AttributeType] { [.uuid] }
    /// The value that `nil` is read as: the UUID whose bytes are all zero.
    public static var valueOfNil: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// Creates the UUID from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
    /// The UUID as an attribute value.
    public var attributeValue: Value { .uuid(self) }
}

extension Decimal: AttributeValue {
    /// The attribute types that hold this type: Decimal.
    public static var attributeTypes: [AttributeType] { [.decimal] }
    /// Whether `nil` is read as zero. Always `true`.
    public static var readsNilAsZero: Bool { true }
    /// The value that `nil` is read as: zero.
    public static var valueOfNil: Decimal { 0 }
    /// Creates the number from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as an attribute value.
    public var attributeValue: Value { .decimal(self) }
}

extension URL: AttributeValue {
    /// The attribute types that hold this type: URI.
    public static var attributeTypes: [AttributeType] { [.uri] }
    /// The value that `nil` is read as: `about:blank`.
    public static var valueOfNil: URL { URL(string: "about:blank")! }
    /// Creates the URL from a value of that attribute type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        guard case .uri(let value) = attributeValue else { return nil }
        self = value
    }
    /// The URL as an attribute value.
    public var attributeValue: Value { .uri(self) }
}

extension Data: AttributeValue {
    /// The attribute types that hold this type: Binary Data, and Transformable for archived bytes.
    public static var attributeTypes: [AttributeType] { [.binary, .transformable] }
    /// The value that `nil` is read as: empty data.
    public static var valueOfNil: Data { Data() }
    /// Creates the data from a value of either type. Returns `nil` for a value of any other type.
    public init?(attributeValue: Value) {
        switch attributeValue {
        case .binary(let value), .transformable(let value): self = value
        default: return nil
        }
    }
    /// The bytes as an attribute value.
    public var attributeValue: Value { .binary(self) }
}
