import CairnCPostgreSQL
import Foundation

/// The text of a statement, and the values of its parameters `$1`, `$2`, …
struct PostgresStatement: ExpressibleByStringLiteral {
    var text: String
    var parameters: [PostgresParameter]
    /// Whether the statements after it are a unit of their own, which a failure before does not prevent.
    var endsUnit = false
    /// Whether the server keeps the plan if a connection runs the statement again.
    var keepsPlan: Bool

    init(
        _ text: String, _ parameters: [PostgresParameter] = [], endsUnit: Bool = false,
        keepsPlan: Bool? = nil
    ) {
        self.text = text
        self.parameters = parameters
        self.endsUnit = endsUnit
        self.keepsPlan = keepsPlan ?? !parameters.isEmpty
    }

    init(stringLiteral text: String) { self.init(text) }

    /// What statements with the same plan have in common.
    var form: Form { Form(text: text, types: parameters.map(\.type)) }

    struct Form: Hashable {
        let text: String
        let types: [PostgresType]
    }

    /// Asks the server to prepare the statement. Returns `false` if the connection was lost.
    func prepare(as name: String, in session: OpaquePointer) -> Bool {
        PQsendPrepare(
            session, name, text, Int32(parameters.count), parameters.map(\.type.rawValue)) == 1
    }

    /// Gives the statement to libpq, which copies it. Returns `false` if the connection was lost.
    ///
    /// - Parameter name: that of the prepared statement, or `nil` if it was not prepared.
    func send(to session: OpaquePointer, preparedAs name: String? = nil) -> Bool {
        // One block for all values, so that pointers to them are valid together.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        for case let value? in parameters.lazy.map(\.bytes) { bytes += value }
        bytes.append(0)
        return bytes.withUnsafeBytes { block in
            var values: [UnsafePointer<CChar>?] = []
            var offset = 0
            for parameter in parameters {
                let start = block.baseAddress?.advanced(by: offset)
                values.append(
                    parameter.bytes == nil ? nil : start?.assumingMemoryBound(to: CChar.self))
                offset += parameter.bytes?.count ?? 0
            }
            let count = Int32(parameters.count)
            let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: parameters.count)
            if let name {
                return PQsendQueryPrepared(session, name, count, values, lengths, formats, 1) == 1
            }
            return PQsendQueryParams(
                session, text, count, parameters.map(\.type.rawValue), values, lengths, formats, 1)
                == 1
        }
    }
}

/// A value in the server's binary form, with its type. No bytes are NULL.
struct PostgresParameter {
    var type: PostgresType
    var bytes: [UInt8]?

    static func integer(_ value: Int64) -> Self { Self(type: .int8, bytes: value.bigEndianBytes) }
    static func integer16(_ value: Int16) -> Self { Self(type: .int2, bytes: value.bigEndianBytes) }
    static func text(_ value: String) -> Self { Self(type: .text, bytes: Array(value.utf8)) }
    static func bytes(_ value: some Sequence<UInt8>) -> Self {
        Self(type: .bytea, bytes: Array(value))
    }
    static func uuid(_ value: UUID) -> Self {
        Self(type: .uuid, bytes: withUnsafeBytes(of: value.uuid) { Array($0) })
    }
    static func real(_ value: Double) -> Self {
        Self(type: .float8, bytes: value.bitPattern.bigEndianBytes)
    }
    static func integers(_ values: some Sequence<Int64>) -> Self {
        var array = PostgresArray(of: .int8)
        for value in values { array.append(value) }
        return array.parameter
    }
    /// The condition that a column has one of the keys, and its parameter `$1`. For one key the server has a plan that
    /// suits all keys.
    static func keys(
        _ keys: [Int64], in column: String = "_key"
    ) -> (condition: String, parameter: Self) {
        keys.count == 1
            ? ("\(column) = $1", .integer(keys[0])) : ("\(column) = ANY($1)", .integers(keys))
    }
    static func integers16(_ values: some Sequence<Int16>) -> Self {
        var array = PostgresArray(of: .int2)
        for value in values { array.append(value) }
        return array.parameter
    }
}

/// The object identifiers of built-in types, from the catalog `pg_type`. They never change.
enum PostgresType: Oid {
    case bool = 16, bytea = 17, int8 = 20, int2 = 21, int4 = 23, text = 25, float4 = 700, float8 =
        701
    case uuid = 2950
    case bools = 1000, byteas = 1001, int2s = 1005, int4s = 1007, texts = 1009, int8s = 1016,
        float4s = 1021
    case float8s = 1022, uuids = 2951

    var array: PostgresType {
        switch self {
        case .bool: .bools
        case .bytea: .byteas
        case .int8: .int8s
        case .int2: .int2s
        case .int4: .int4s
        case .text: .texts
        case .float4: .float4s
        case .float8: .float8s
        case .uuid: .uuids
        default: self
        }
    }

    /// The name in SQL.
    var name: String {
        switch self {
        case .bools, .byteas, .int2s, .int4s, .texts, .int8s, .float4s, .float8s, .uuids: "anyarray"
        default: "\(self)"
        }
    }
}

/// An array of values under construction.
struct PostgresArray {
    private static let headerByteCount = 20

    private let type: PostgresType
    /// The header, which is written at the end, and the values.
    private var bytes: [UInt8]
    private var hasNull = false
    private(set) var count = 0

    init(of type: PostgresType) {
        self.type = type
        bytes = []
        // Enough for one value.
        bytes.reserveCapacity(Self.headerByteCount + 64)
        bytes.append(contentsOf: repeatElement(0, count: Self.headerByteCount))
    }

    var byteCount: Int { bytes.count }

    mutating func appendNull() {
        hasNull = true
        count += 1
        add(Int32(-1))
    }

    mutating func append(_ value: some FixedWidthInteger) {
        count += 1
        add(Int32(value.bitWidth / 8))
        add(value)
    }

    mutating func append(bytes value: some Collection<UInt8>) {
        count += 1
        add(Int32(value.count))
        bytes += value
    }

    private mutating func add(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// The array as a parameter.
    var parameter: PostgresParameter {
        var all = bytes
        all.withUnsafeMutableBytes { all in
            // The header is described at `PostgresResult.integers`.
            let header = [1, hasNull ? 1 : 0, type.rawValue, Oid(count), 1]
            for (index, number) in header.enumerated() {
                all.storeBytes(
                    of: number.bigEndian, toByteOffset: 4 * index, as: Oid.self)
            }
        }
        return PostgresParameter(type: type.array, bytes: all)
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
