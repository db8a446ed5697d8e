import CairnEngineKit
import CairnFiles
import CairnRows
import CairnStore
import Foundation

/// The content of a ``PendingSaveFile``: the head, which every file of a save contains, and in a
/// journal also the requests. docs/formats/save-journal.md describes the format.
struct SaveFile {
    /// The kinds of files that belong to a save.
    enum Kind: UInt32 {
        /// Contains the requests. When this file exists, the save has taken place.
        case journal = 1
        /// Contains the path of the journal.
        case pointer = 2
    }

    /// The result of reading a file.
    enum Reading {
        case file(SaveFile)
        /// The bytes are not those that were written. (They are not just incomplete: a file gets
        /// its name after its last byte was written.)
        case damaged(String)
        /// The file was written by a later version of Cairn.
        case later(version: UInt32)

        fileprivate static var endsTooEarly: Reading { .damaged("the file is truncated") }
    }

    /// The latest version. Files without a decider are of version 1.
    static let version: UInt32 = 2
    private static let mark = Array("CairnSav".utf8)

    var kind: Kind
    var id: SaveID
    /// The path of the file when it was written.
    var path: String
    /// The path of the journal when the file was written.
    var journalPath: String
    /// The participants that are files, sorted by identifier. The journal is beside the first one.
    var participants: [Participant]
    /// The store of a service, which has its part without the journal. The save has taken place if that store has it.
    var decider: Participant?
    /// The saver's model, as ``JournalModel/bytes``.
    var model: [UInt8]
    /// The requests, in the order of the participants. Empty in a pointer file.
    var requests: [[UInt8]]

    /// The row layouts of the saver's model, or `nil` if they cannot be used.
    var layouts: RowLayouts? { JournalModel.layouts(from: model) }

    // MARK: Bytes

    var bytes: [UInt8] {
        var fields: [String: MetadataValue] = [
            "save": .data(Data(id.bytes)), "path": .string(path), "journal": .string(journalPath),
            "participants": .array(participants.map(\.stored)),
        ]
        fields["decider"] = decider?.stored
        let head = MetadataValue.dictionary(fields)
        var body = model
        for request in requests { body.append(block: request) }
        let parts = [head.bytes, body]
        var bytes = Self.mark
        bytes.append(number: decider == nil ? 1 : Self.version)
        bytes.append(number: kind.rawValue)
        for part in parts {
            bytes.append(number: UInt64(part.count))
            bytes.append(number: part.withUnsafeBytes(Checksum.of))
        }
        bytes.append(number: bytes.withUnsafeBytes(Checksum.of))
        for part in parts { bytes += part }
        return bytes
    }

    /// The number of bytes in the mark, the version, the kind, and the lengths and checksums of the
    /// head and the body. A checksum of these bytes follows them. Files of every version begin in
    /// this way.
    private static let beginningByteCount = 48

    static func read(_ bytes: [UInt8]) -> Reading {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard let beginning = reader.take(beginningByteCount),
                let checksum = reader.integer(UInt64.self)
            else { return .endsTooEarly }
            guard beginning.prefix(mark.count).elementsEqual(mark) else {
                return .damaged("the file does not begin like a file of a save")
            }
            guard Checksum.of(beginning) == checksum else {
                return .damaged("the checksum of its beginning is wrong")
            }
            var fields = ByteReader(UnsafeRawBufferPointer(rebasing: beginning[mark.count...]))
            guard let version = fields.integer(UInt32.self), let kind = fields.integer(UInt32.self),
                let head = PartFrame(&fields), let body = PartFrame(&fields)
            else { return .damaged("its beginning cannot be read") }
            guard version <= Self.version else { return .later(version: version) }
            guard version > 0, let kind = Kind(rawValue: kind) else {
                return .damaged("the file has an unknown kind")
            }
            return read(kind, head, body, &reader)
        }
    }

    private static func read(
        _ kind: Kind, _ headFrame: PartFrame, _ bodyFrame: PartFrame, _ reader: inout ByteReader
    ) -> Reading {
        guard let head = headFrame.take(from: &reader) else { return .endsTooEarly }
        guard Checksum.of(head) == headFrame.checksum else {
            return .damaged("the checksum of its head is wrong")
        }
        guard let bytes = bodyFrame.take(from: &reader) else { return .endsTooEarly }
        guard Checksum.of(bytes) == bodyFrame.checksum else {
            return .damaged("the checksum of its requests is wrong")
        }
        guard reader.rest == 0 else { return .damaged("there are bytes after its end") }
        guard let file = SaveFile(kind, head: head, body: bytes) else {
            return .damaged("the content of the file is not valid")
        }
        return .file(file)
    }

    /// The length and the checksum of a part.
    private struct PartFrame {
        let length: UInt64
        let checksum: UInt64

        init?(_ reader: inout ByteReader) {
            guard let length = reader.integer(UInt64.self),
                let checksum = reader.integer(UInt64.self)
            else { return nil }
            self.length = length
            self.checksum = checksum
        }

        /// Returns `nil` if the file ends before the part does.
        func take(from reader: inout ByteReader) -> UnsafeRawBufferPointer? {
            Int(exactly: length).flatMap { reader.take($0) }
        }
    }
}

extension SaveFile {
    private init?(_ kind: Kind, head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) {
        guard case .dictionary(let fields)? = MetadataValue(bytes: head),
            case .data(let save)? = fields["save"], let id = SaveID(bytes: save),
            case .string(let path)? = fields["path"],
            case .string(let journalPath)? = fields["journal"],
            case .array(let stored)? = fields["participants"]
        else { return nil }
        let participants = stored.compactMap(Participant.init)
        let decider = fields["decider"].map(Participant.init)
        if case .some(nil) = decider { return nil }
        var reader = ByteReader(body)
        guard participants.count == stored.count,
            participants.count > (decider == nil ? 1 : 0),
            JournalModel.read(&reader) != nil
        else { return nil }
        let model = Array(body.prefix(reader.offset))
        var requests: [[UInt8]] = []
        if kind == .journal {
            for _ in participants {
                guard let request = reader.block(behind: UInt64.self) else { return nil }
                requests.append(Array(request))
            }
        }
        guard reader.rest == 0 else { return nil }
        self.init(
            kind: kind, id: id, path: path, journalPath: journalPath, participants: participants,
            decider: decider ?? nil, model: model, requests: requests)
    }
}

extension [UInt8] {
    /// Appends a little-endian number, in the form that `ByteReader` reads.
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends a block after its length, in the form that `ByteReader` reads.
    mutating func append(block: some Collection<UInt8>) {
        append(number: UInt64(block.count))
        append(contentsOf: block)
    }
}
