// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CairnModel
import CairnRows
import Foundation

// The Swift types of Core Data's attribute types. `AccessorTests` checks that the fast path of each type
// (`_packedValue(_:)`) reads the same values as the general path. Each member does what its protocol says; a
// comment says only what is special.

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
    public var _attributeValue: Value { .integer(Int64(self)) }

    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        switch bitWidth {
        case 16: slot.code == RowLayout.Kind.int16.code
        case 32: slot.code == RowLayout.Kind.int32.code
        case 64: slot.code == RowLayout.Kind.int64.code
        default: false
        }
    }
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Self? {
        value.values.number(value.slot, as: Self.self)
    }
}

extension Double: AttributeValue {
    public static var _attributeTypes: [AttributeType] { [.double] }
    public init?(_attributeValue attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
    public var _attributeValue: Value { .double(self) }
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.double.code
    }
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Double? {
        value.values.double(value.slot)
    }
}

extension Float: AttributeValue {
    public static var _attributeTypes: [AttributeType] { [.float] }
    public init?(_attributeValue attributeValue: Value) {
        guard case .float(let value) = attributeValue else { return nil }
        self = value
    }
    public var _attributeValue: Value { .float(self) }
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.float.code
    }
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Float? {
        value.values.float(value.slot)
    }
}

extension Bool: AttributeValue {
    public static var _attributeTypes: [AttributeType] { [.boolean] }
    /// `nil` is read as `false`.
    @inlinable public static var _readsNilAsZero: Bool { true }
    /// `false`.
    public static var valueOfNil: Bool { false }
    public init?(_attributeValue attributeValue: Value) {
        guard case .boolean(let value) = attributeValue else { return nil }
        self = value
    }
    public var _attributeValue: Value { .boolean(self) }
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.boolean.code
    }
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Bool? {
        value.values.number(value.slot, as: UInt8.self) != 0
    }
}

extension String: AttributeValue {
    public static var _attributeTypes: [AttributeType] { [.string] }
    /// An empty string.
    public static var valueOfNil: String { "" }
    public init?(_attributeValue attributeValue: Value) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
    public var _attributeValue: Value { .string(self) }
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.string.code
    }
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> String? {
        value.values.string(value.slot)
    }
}

extension Date: AttributeValue {
    public static var _attributeTypes: [AttributeType] { [.date] }
    /// The distant past.
    public static var valueOfNil: Date { .distantPast }
    public init?(_attributeValue attributeValue: Value) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
    public var _attributeValue: Value { .date(self) }
    @inlinable @inline(__always)
    public static func _readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.date.code
    }
    @inlinable @inline(__always)
    public static func _packedValue(_ value: _Property.Packed) -> Date? {
        Date(timeIntervalSinceReferenceDate: value.values.double(value.slot))
    }
}

extension UUID: AttributeValue {
    public static var _attributeTypes: [AttributeType] { [.uuid] }
    /// The UUID whose bytes are all zero.
    public static var valueOfNil: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    public init?(_attributeValue attributeValue: Value) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
    public var _attributeValue: Value { .uuid(self) }
}

extension Decimal: AttributeValue {
    public static var _attributeTypes: [AttributeType] { [.decimal] }
    public init?(_attributeValue attributeValue: Value) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
    public var _attributeValue: Value { .decimal(self) }
}

extension URL: AttributeValue {
    public static var _attributeTypes: [AttributeType] { [.uri] }
    /// `about:blank`.
    public static var valueOfNil: URL { URL(string: "about:blank")! }
    public init?(_attributeValue attributeValue: Value) {
        guard case .uri(let value) = attributeValue else { return nil }
        self = value
    }
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
    public var _attributeValue: Value { .binary(self) }
}
