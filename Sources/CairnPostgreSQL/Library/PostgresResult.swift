import CairnCPostgreSQL
import Foundation

/// The rows of one statement's result, in binary form.
final class PostgresResult {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var status: ExecStatusType { PQresultStatus(result) }
    var rowCount: Int { Int(PQntuples(result)) }
    /// The number of rows that the statement changed.
    var changedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }
    /// The command that was done, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(result)) }
    var sqlState: String { Self.field("C", of: result) }
    var message: String { Self.field("M", of: result) }

    static func isWarning(_ result: OpaquePointer?) -> Bool { field("V", of: result) == "WARNING" }

    /// The field codes are those of postgres_ext.h.
    private static func field(_ code: Unicode.Scalar, of result: OpaquePointer?) -> String {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) } ?? ""
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// Returns the bytes of a value, which are valid as long as the result exists. Empty for NULL.
    func bytes(_ row: Int, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, Int32(row), column),
            count: Int(PQgetlength(result, Int32(row), column)))
    }

    /// Returns the number in a column of exactly the type's width. Returns `nil` for NULL and any other width.
    func integer<T: FixedWidthInteger & BitwiseCopyable>(
        _ row: Int, _ column: Int, as type: T.Type = T.self
    ) -> T? {
        // NULL has no bytes.
        let bytes = bytes(row, Int32(column))
        guard bytes.count == MemoryLayout<T>.size else { return nil }
        return T(bigEndian: bytes.loadUnaligned(as: T.self))
    }

    func text(_ row: Int, _ column: Int) -> String {
        String(decoding: bytes(row, Int32(column)), as: UTF8.self)
    }

    /// Returns the numbers of an array of `int8`, or `nil` if the value is not one without NULLs.
    func integers(_ row: Int, _ column: Int) -> [Int64]? {
        let bytes = bytes(row, Int32(column))
        guard bytes.count >= 12 else { return nil }
        // The header: dimensions, flags and element type; for each dimension its length and first index.
        let dimensions = bytes.bigEndian(Int32.self, at: 0)
        if dimensions == 0 { return [] }
        guard dimensions == 1, bytes.count >= 20 else { return nil }
        let count = Int(bytes.bigEndian(Int32.self, at: 12))
        guard count >= 0, bytes.count == 20 + 12 * count else { return nil }
        return (0..<count).map { bytes.bigEndian(Int64.self, at: 24 + 12 * $0) }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int
    ) -> T {
        T(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
