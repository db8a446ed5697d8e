import CairnCSQLite
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A row presented by SQLite: a statement's current row, or the arguments of a function.
///
/// Values are copied from SQLite's memory into the packed row. A value that does not fit its column
/// is an error, never a guess.
struct StoredRow<Columns: StoredColumns> {
    let key: Int64
    private let columns: Columns
    /// The codec, without a retained reference. If each row counted a reference, two threads that
    /// read rows with one codec would wait for each other: a fetch of IDs by two threads took a
    /// quarter more processor time.
    private let uncountedCodec: Uncounted<RowCodec>
    private let versionColumn: Int32

    /// - Parameter codec: The codec. It must outlive the row.
    @inline(__always)
    init(_ columns: Columns, codec: RowCodec) {
        self.columns = columns
        key = columns.int64(RowCodec.keyColumn)
        uncountedCodec = Uncounted(codec)
        versionColumn = codec.versionColumn
    }

    private var codec: RowCodec { uncountedCodec.object }

    /// Returns `Z_PK`.
    ///
    /// - Throws: `.corrupt` for values below 1. These are not keys; the IDs of unsaved objects use
    ///   them.
    @inline(__always) func checkedKey() throws(StoreError) -> Int64 {
        guard key > 0 else { throw wrong(RowCodec.keyColumn, "the key is less than 1") }
        return key
    }

    /// Returns `Z_ENT`.
    @inline(__always) func entity() throws(StoreError) -> Int64 {
        guard let value = try integer(RowCodec.entityColumn) else {
            throw wrong(RowCodec.entityColumn, "the value is NULL")
        }
        return value
    }

    /// Returns `Z_OPT`, or 1 for NULL, as in rows that another program inserted.
    @inline(__always) func version() throws(StoreError) -> Int64 {
        let version = try integer(versionColumn) ?? StoredVersion.ofNull
        // The next save adds 1, so the maximum is not allowed.
        guard version >= 0, version < .max else {
            throw wrong(versionColumn, "the value is not a version")
        }
        return version
    }

    /// Copies all values. For NULL, a slot stays `nil`.
    ///
    /// The loop is here, and not in the caller, because a call for each column takes 5 % of the
    /// time of fetching a whole table (benchmark row A).
    func copy(
        _ sources: FrozenElements<RowCodec.Source>, to writer: inout RowWriter,
        _ plan: Uncounted<RowCodec.Plan>
    ) throws(StoreError) {
        for source in sources {
            let (slot, column) = (source.slot, source.column)
            switch slot.kind {
            case .int64:
                if let value = try integer(column) { writer.set(value, at: slot) }
            case .int32:
                if let value: Int32 = try narrow(column) { writer.set(value, at: slot) }
            case .int16:
                if let value: Int16 = try narrow(column) { writer.set(value, at: slot) }
            case .boolean:
                if let value = try boolean(column) { writer.set(value, at: slot) }
            case .double, .date:
                if let value = try double(column) { writer.set(value, at: slot) }
            case .float:
                if let value = try double(column) { writer.set(Float(value), at: slot) }
            case .decimal:
                if let value = try decimal(column) { writer.set(value, at: slot) }
            case .toOne:
                if let value = try integer(column) {
                    guard value > 0 else { throw wrong(column, "the key is less than 1") }
                    writer.set(key: value, entity: try destination(of: source), at: slot)
                }
            case .string:
                guard let bytes = try textBytes(column) else { continue }
                guard try put(bytes, column, slot, &writer) || bytes.isUTF8 else {
                    throw notUTF8(column)
                }
            default: try copyVariable(source, to: &writer, plan)
            }
        }
    }

    private func copyVariable(
        _ source: RowCodec.Source, to writer: inout RowWriter, _ plan: Uncounted<RowCodec.Plan>
    ) throws(StoreError) {
        let (slot, column) = (source.slot, source.column)
        switch slot.kind {
        case .uri:
            if let text = try uri(column) { try put(text, column, slot, &writer) }
        case .uuid:
            if let value = try uuid(column) { writer.set(value, at: slot) }
        case .externalBinary:
            if let (bytes, isMarked) = try external(column) {
                if isMarked {
                    try put(bytes, column, slot, &writer)
                } else {
                    try putInline(bytes, column, slot, &writer)
                }
            }
        case .composite: try copyComposite(source, to: &writer, plan)
        default:
            if let bytes = try blob(column) { try put(bytes, column, slot, &writer) }
        }
    }

    /// Returns whether the bytes are known to be ASCII.
    @discardableResult
    @inline(__always) private func put(
        _ bytes: UnsafeRawBufferPointer, _ column: Int32, _ slot: RowLayout.Slot,
        _ writer: inout RowWriter
    ) throws(StoreError) -> Bool {
        do {
            return try writer.set(bytes: bytes, at: slot)
        } catch {
            throw wrong(column, error.description)
        }
    }

    /// Copies bytes without a mark, and adds one.
    private func putInline(
        _ bytes: UnsafeRawBufferPointer, _ column: Int32, _ slot: RowLayout.Slot,
        _ writer: inout RowWriter
    ) throws(StoreError) {
        do {
            try writer.set(.inline(Data(bytes)), at: slot)
        } catch {
            throw wrong(column, error.description)
        }
    }

    /// Returns the destination's concrete entity, according to its column.
    @inline(__always) private func destination(of source: RowCodec.Source) throws(StoreError)
        -> EntityNumber
    {
        guard let column = source.entityColumn, let number = try integer(column) else {
            return source.destination
        }
        guard let entity = codec.map.entityNumber(forStoreNumber: number) else {
            throw wrong(column, "no entity has the number \(number)")
        }
        return entity
    }

    // MARK: Composites

    /// Copies a composite. A composite without any values is `nil`, unless the model requires it.
    private func copyComposite(
        _ source: RowCodec.Source, to writer: inout RowWriter, _ plan: Uncounted<RowCodec.Plan>
    ) throws(StoreError) {
        var composite: [String: Value] = [:]
        let form = plan.object.composites[Int(source.column)]
        for element in form.elements {
            let value = try value(element.column, element.type)
            if !value.isNull { Self.insert(value, at: element.path[...], in: &composite) }
        }
        guard !composite.isEmpty || form.isRequired else { return }
        do {
            try writer.set(.composite(composite), at: source.slot, of: plan.object.layout)
        } catch {
            throw wrong(form.elements.first?.column ?? 0, error.description)
        }
    }

    private static func insert(
        _ value: Value, at path: ArraySlice<String>, in composite: inout [String: Value]
    ) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            composite[name] = value
            return
        }
        var inner: [String: Value] = [:]
        if case .composite(let known)? = composite[name] { inner = known }
        insert(value, at: path.dropFirst(), in: &inner)
        composite[name] = .composite(inner)
    }

    private func value(_ column: Int32, _ type: AttributeType) throws(StoreError) -> Value {
        switch type {
        case .integer16: if let it: Int16 = try narrow(column) { return .integer(Int64(it)) }
        case .integer32: if let it: Int32 = try narrow(column) { return .integer(Int64(it)) }
        case .integer64: if let it = try integer(column) { return .integer(it) }
        case .boolean: if let it = try boolean(column) { return .boolean(it) }
        case .double: if let it = try double(column) { return .double(it) }
        case .float: if let it = try double(column) { return .float(Float(it)) }
        case .decimal: if let it = try decimal(column) { return .decimal(it) }
        case .date:
            if let it = try double(column) {
                return .date(Date(timeIntervalSinceReferenceDate: it))
            }
        case .string:
            if let it = try text(column) { return .string(String(decoding: it, as: UTF8.self)) }
        case .uri:
            if let it = try uri(column), let url = URL(string: String(decoding: it, as: UTF8.self))
            {
                return .uri(url)
            }
        case .uuid: if let it = try uuid(column) { return .uuid(it) }
        case .transformable: if let it = try blob(column) { return .transformable(Data(it)) }
        case .binary, .undefined, .objectID, .composite:
            if let it = try blob(column) { return .binary(Data(it)) }
        }
        return .null
    }
}

// MARK: Values (`nil` for NULL)

extension StoredRow {
    @inline(__always) private func integer(_ column: Int32) throws(StoreError) -> Int64? {
        switch columns.type(column) {
        case SQLITE_INTEGER: return columns.int64(column)
        case SQLITE_NULL: return nil
        // A migration in place may keep a column that was declared for another type of number.
        case SQLITE_FLOAT:
            if let value = Int64(exactly: columns.double(column)) { return value }
            throw wrong(column, "the value is not an integer")
        default: throw wrong(column, "the value is not an integer")
        }
    }

    @inline(__always) private func narrow<T: FixedWidthInteger>(
        _ column: Int32
    ) throws(StoreError) -> T? {
        guard let value = try integer(column) else { return nil }
        guard let narrow = T(exactly: value) else {
            throw wrong(column, "the integer has more than \(T.bitWidth) bits")
        }
        return narrow
    }

    @inline(__always) private func boolean(_ column: Int32) throws(StoreError) -> Bool? {
        switch try integer(column) {
        case nil: return nil
        case 0: return false
        case 1: return true
        default: throw wrong(column, "the value of a Boolean is neither 0 nor 1")
        }
    }

    /// Returns the value as a double. A column with NUMERIC affinity returns whole numbers as
    /// INTEGER.
    @inline(__always) private func double(_ column: Int32) throws(StoreError) -> Double? {
        switch columns.type(column) {
        case SQLITE_FLOAT: return columns.double(column)
        case SQLITE_INTEGER:
            guard let value = Double(exactly: columns.int64(column)) else {
                throw wrong(column, "the integer has more digits than a double can hold")
            }
            return value
        case SQLITE_NULL: return nil
        default: throw wrong(column, "it is not a number")
        }
    }

    private func decimal(_ column: Int32) throws(StoreError) -> Decimal? {
        switch columns.type(column) {
        case SQLITE_INTEGER: return Decimal(columns.int64(column))
        case SQLITE_FLOAT:
            guard let value = StoredDecimal.decimal(columns.double(column)) else {
                throw wrong(column, "the number cannot be a decimal")
            }
            return value
        case SQLITE_NULL: return nil
        default: throw wrong(column, "it is not a number")
        }
    }

    @inline(__always) private func text(
        _ column: Int32
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        guard let bytes = try textBytes(column) else { return nil }
        guard bytes.isUTF8 else { throw notUTF8(column) }
        return bytes
    }

    /// Returns the bytes of a text, which may not be valid UTF-8.
    @inline(__always) private func textBytes(
        _ column: Int32
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        switch columns.type(column) {
        case SQLITE_TEXT: return columns.bytes(column)
        case SQLITE_NULL: return nil
        default: throw wrong(column, "the value is not text")
        }
    }

    private func notUTF8(_ column: Int32) -> StoreError {
        wrong(column, "the text is not valid UTF-8")
    }

    private func uri(_ column: Int32) throws(StoreError) -> UnsafeRawBufferPointer? {
        // Core Data may store an empty URI, which is not a valid URI here.
        guard let bytes = try text(column), !bytes.isEmpty else { return nil }
        guard URL(string: String(decoding: bytes, as: UTF8.self)) != nil else {
            throw wrong(column, "the text is not a URI")
        }
        return bytes
    }

    /// Returns the bytes of a blob or a text. Programs and Core Data itself have stored texts in columns of
    /// bytes, and SQLite returns their bytes without a conversion.
    ///
    /// A number has no bytes: SQLite would return its digits.
    private func blob(_ column: Int32) throws(StoreError) -> UnsafeRawBufferPointer? {
        switch columns.type(column) {
        case SQLITE_BLOB, SQLITE_TEXT:
            return columns.bytes(column)
        case SQLITE_NULL: return nil
        default: throw wrong(column, "the value is not a blob")
        }
    }

    private func uuid(_ column: Int32) throws(StoreError) -> UUID? {
        guard let bytes = try blob(column) else { return nil }
        guard columns.type(column) == SQLITE_BLOB else {
            throw wrong(column, "the value is not a blob")
        }
        guard bytes.count == 16 else {
            throw wrong(column, "the value of a UUID does not have 16 bytes")
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// Returns a value that may be stored in a file, and whether it is in its packed form: a mark and the
    /// bytes, or another mark and the name of a file. Bytes without a mark are the value itself, and so are
    /// those of a text. See docs/formats/sqlite.md.
    ///
    /// The stored name ends with a NUL. The packed row contains the name without it.
    private func external(
        _ column: Int32
    ) throws(StoreError) -> (bytes: UnsafeRawBufferPointer, isMarked: Bool)? {
        guard let bytes = try blob(column) else { return nil }
        guard columns.type(column) == SQLITE_BLOB else { return (bytes, false) }
        switch bytes.first {
        case 1: return (bytes, true)
        case 2:
            let end = bytes.last == 0 ? bytes.count - 1 : bytes.count
            let name = String(decoding: bytes[1..<end], as: UTF8.self)
            guard UUID(uuidString: name) != nil else {
                throw wrong(column, "the name of an external value is not a UUID")
            }
            return (UnsafeRawBufferPointer(rebasing: bytes[..<end]), true)
        default: return (bytes, false)
        }
    }

    /// Returns the error for a value that does not fit its column.
    func wrong(_ column: Int32, _ detail: String) -> StoreError {
        .corruptRow(
            at: codec.location, table: codec.table, column: codec.columns[Int(column)], key: key,
            detail)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are well-formed UTF-8. ASCII is checked eight bytes at a time. The last
    /// eight bytes are read at once, and may overlap bytes that were read before.
    @inline(__always) var isUTF8: Bool {
        guard let base = baseAddress else { return true }
        guard count >= 8 else { return isShortUTF8 }
        var (bits, offset): (UInt64, Int) = (0, 0)
        while offset < count - 8 {
            bits |= base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        bits |= base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        return bits & 0x8080_8080_8080_8080 == 0 || isWellFormed
    }

    private var isShortUTF8: Bool {
        allSatisfy { $0 & 0x80 == 0 } || isWellFormed
    }

    @inline(never) private var isWellFormed: Bool {
        String(validating: self, as: UTF8.self) != nil
    }
}

/// The source of a stored row's values.
protocol StoredColumns {
    /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
    func type(_ column: Int32) -> Int32
    func int64(_ column: Int32) -> Int64
    func double(_ column: Int32) -> Double
    /// Returns the bytes of a text or blob as they are stored. They are valid while the row is
    /// current.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer
}

/// The columns of a statement's current row.
struct StatementColumns: StoredColumns {
    private let handle: OpaquePointer

    @inline(__always) init(_ statement: SQLiteStatement) { handle = statement.handle }

    @inline(__always) func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
    @inline(__always) func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    @inline(__always) func double(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }
    @inline(__always) func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // In a UTF-8 database this also returns the bytes of a text, without adding a terminator.
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
