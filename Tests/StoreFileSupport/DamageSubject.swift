import CairnBinary
import CairnLMDB
import CairnModel
import CairnRows
import CairnSQLite
import CairnStore
import CairnXML
import Foundation

/// The files to damage and read: those of an engine, in a particular form.
package enum DamageSubject: String, CaseIterable, Sendable {
    case sqlite = "SQLite"
    case lmdb = "LMDB"
    case binary = "Binary"
    /// With checksums that match the damage, so that the damage reaches the parser.
    case vouchedBinary = "Binary, vouched for"
    case xml = "XML"
    /// In the form that Core Data writes.
    case plainXML = "XML without checksum"
    /// A reader that crashes on any damage to its first bytes, to show that the harness notices.
    case planted = "Planted"

    /// The subjects that must withstand all damage.
    package static let real = allCases.filter { $0 != .planted }

    package var engine: any FileStore.Type {
        switch self {
        case .sqlite: SQLiteStore.self
        case .lmdb: LMDBStore.self
        case .binary, .vouchedBinary: BinaryStore.self
        case .xml, .plainXML: XMLStore.self
        case .planted: TrappingStore.self
        }
    }

    private var options: StoreOptions { self == .sqlite ? [.roundsValues: true] : [:] }

    /// The part of the content that checksums protect.
    package enum Cover: Sendable {
        case everything, rows, nothing
    }

    /// Returns the part of a damaged file that checksums protect.
    ///
    /// - Parameter bytes: The damaged file.
    package func cover(of bytes: [UInt8], from original: [UInt8]) -> Cover {
        switch self {
        case .binary: .everything
        // Without its last line, a document is treated as a document of Core Data, which has no checksum.
        case .xml: bytes.suffix(42) == original.suffix(42) ? .everything : .nothing
        case .lmdb: .rows
        case .sqlite, .vouchedBinary, .plainXML, .planted: .nothing
        }
    }

    /// Creates a store full of samples. Returns the bytes of its file.
    package func makeSample(in folder: URL) throws -> [UInt8] {
        let file = folder.appending(path: "sample")
        let location = StoreLocation.file(file)
        let real: any FileStore.Type = self == .planted ? BinaryStore.self : engine
        let store = try real.open(
            OpenRequest(
                location: location, model: try ManagedObjectModel(SampleModel.entities),
                options: options))
        try SampleModel.fill(store, count: 30)
        try store.close()
        let bytes = try Array(Data(contentsOf: file))
        for other in [file] + real.companionFiles(of: location).map(\.url) {
            try? FileManager.default.removeItem(at: other)
        }
        return self == .plainXML ? bytes.dropLast(42) : bytes
    }

    /// Returns the damaged bytes in the form that the engine receives.
    package func delivered(_ bytes: [UInt8]) -> [UInt8] {
        self == .vouchedBinary ? BinarySeals.renewed(bytes) : bytes
    }

    /// Performs one of the inspections that do not open the file.
    ///
    /// - Parameter number: Selects the inspection, in rotation.
    package func inspect(_ file: URL, _ number: Int) {
        let location = StoreLocation.file(file)
        _ = engine.recognizes(location)
        switch number % 4 {
        case 0: _ = try? engine.metadata(at: location)
        case 1: _ = try? engine.model(at: location)
        case 2: _ = try? engine.derivedModel(at: location)
        default: _ = try? engine.entityCounts(at: location)
        }
    }

    /// Reads everything in a file, as text. Returns `nil` if the file is refused.
    ///
    /// - Throws: Any error that is not a ``StoreError``.
    package func read(_ file: URL, _ model: ManagedObjectModel) throws -> [String]? {
        let location = StoreLocation.file(file)
        do {
            let store = try engine.open(
                OpenRequest(
                    location: location, model: model, isReadOnly: true, createsMissing: false,
                    options: options))
            defer { try? store.close() }
            _ = try store.metadata()
            return try SampleModel.readAll(store)
        } catch is StoreError {
            return nil
        }
    }
}

/// The length and the two checksums of a binary store (docs/formats/binary.md).
enum BinarySeals {
    /// Returns the bytes with the length and checksums recomputed.
    static func renewed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 64 else { return bytes }
        var bytes = bytes
        func put(_ value: UInt64, at offset: Int) {
            for index in 0..<8 { bytes[offset + index] = UInt8(value >> (8 * index) & 0xff) }
        }
        func seal(_ range: Range<Int>) -> UInt64 {
            bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
        put(UInt64(bytes.count), at: 16)
        let head = bytes[24..<32].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        if let end = Int(exactly: head), end > 56, end < bytes.count - 8 {
            put(seal(24..<end - 8), at: end - 8)
        }
        put(seal(0..<bytes.count - 8), at: bytes.count - 8)
        return bytes
    }
}
