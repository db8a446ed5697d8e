import CairnBinary
import CairnLMDB
import CairnModel
import CairnSQLite
import CairnStore
import CairnXML
import Foundation

/// What is damaged and read: the files of an engine, in one of their states.
package enum DamageSubject: String, CaseIterable, Sendable {
    case sqlite = "SQLite"
    case lmdb = "LMDB"
    case binary = "Binary"
    /// With checksums that vouch for the damage, so that the parser behind them is reached.
    case vouchedBinary = "Binary, vouched for"
    case xml = "XML"
    /// As Core Data writes it.
    case plainXML = "XML without checksum"
    /// Falls over every damage to its first bytes: shows that the harness notices.
    case planted = "Planted"

    /// Those that have to stand every damage.
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

    /// Which of what is read a checksum vouches for.
    package enum Cover: Sendable {
        case everything, rows, nothing
    }

    /// - Parameter bytes: the damaged file.
    package func cover(of bytes: [UInt8], from original: [UInt8]) -> Cover {
        switch self {
        case .binary: .everything
        // Without its last line a document is one of Core Data's, which has no checksum.
        case .xml: bytes.suffix(42) == original.suffix(42) ? .everything : .nothing
        case .lmdb: .rows
        case .sqlite, .vouchedBinary, .plainXML, .planted: .nothing
        }
    }

    /// Makes a store full of samples, as a file's bytes.
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

    /// The damaged bytes as they come to the engine.
    package func delivered(_ bytes: [UInt8]) -> [UInt8] {
        self == .vouchedBinary ? BinarySeals.renewed(bytes) : bytes
    }

    /// Asks a file one of the questions that are asked without opening it.
    ///
    /// - Parameter number: says which, in turn.
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

    /// Reads all that can be read of a file, as text. Returns `nil` if it is refused.
    ///
    /// - Throws: what is no ``StoreError``.
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

/// The length and both checksums of a binary store (docs/formats/binary.md).
enum BinarySeals {
    /// The bytes with those that a sound file of them would have.
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
