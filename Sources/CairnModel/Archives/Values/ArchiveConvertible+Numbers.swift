import Foundation

extension ArchivableValue {
    /// An integer: ``integer(_:)``, or ``unsigned(_:)`` beyond `Int64.max`. Returns `nil` beyond
    /// `UInt64.max`.
    public init?(exactly number: some BinaryInteger) {
        if let value = Int64(exactly: number) {
            self = .integer(value)
        } else if let value = UInt64(exactly: number) {
            self = .unsigned(value)
        } else {
            return nil
        }
    }

    /// The integer as one of another width. Returns `nil` for other values, and for an integer that is
    /// out of its range.
    fileprivate func integer<T: FixedWidthInteger>(as type: T.Type) -> T? {
        switch self {
        case .integer(let value): T(exactly: value)
        case .unsigned(let value): T(exactly: value)
        default: nil
        }
    }

    /// Any number but a Boolean, as a floating-point one.
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }
}

extension ArchiveConvertible where Self: FixedWidthInteger {
    /// Takes an integer that is in range.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.integer(as: Self.self) else { return nil }
        self = number
    }
    /// The integer; null for one of more than 64 bits, which archives do not have.
    public var archivable: ArchivableValue { ArchivableValue(exactly: self) ?? .null }
}

extension Int: ArchiveConvertible {}
extension Int8: ArchiveConvertible {}
extension Int16: ArchiveConvertible {}
extension Int32: ArchiveConvertible {}
extension Int64: ArchiveConvertible {}
extension UInt: ArchiveConvertible {}
extension UInt8: ArchiveConvertible {}
extension UInt16: ArchiveConvertible {}
extension UInt32: ArchiveConvertible {}
extension UInt64: ArchiveConvertible {}

extension Double: ArchiveConvertible {
    /// Takes any number.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.number else { return nil }
        self = number
    }
    /// The number.
    public var archivable: ArchivableValue { .real(self) }
}

extension Float: ArchiveConvertible {
    /// Takes any number, rounded.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.number else { return nil }
        self = Float(number)
    }
    /// The number.
    public var archivable: ArchivableValue { .real(Double(self)) }
}

extension Decimal: ArchiveConvertible {
    /// Takes a decimal or an integer.
    public init?(archivable value: ArchivableValue) {
        switch value {
        case .decimal(let value): self = value
        case .integer(let value): self = Decimal(value)
        case .unsigned(let value): self = Decimal(value)
        default: return nil
        }
    }
    /// The decimal.
    public var archivable: ArchivableValue { .decimal(self) }
}
