import CairnModel
import CairnStore
import Foundation

private let hasNoFiles = "an engine without files writes nothing to disk that can be damaged"

private let requireNothingOnDisk: ConformanceRule.Body = { subject in
    try subject.insert("Album")
    try requireEqual(try subject.files().count, 0, "the number of files of the store")
}

private func damaged(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: .files, alternative: hasNoFiles,
        alternativeProves: ["FileStore: Engines whose stores are"], file: file, line: line,
        body: body,
        otherwise: requireNothingOnDisk)
}

let damageRules: [ConformanceRule] = [
    damaged(
        "a store with flipped bits is refused or read, and never crashes the process",
        proves: [
            "PersistentStore.open(_:): .corrupt", "StoreSnapshot.rows(for:): .corrupt",
            "RowCursor.next(atMost:): .corrupt", "FileStore: A damaged or truncated",
            "FileStore: Such a file never",
        ]
    ) {
        subject in
        try requireContainment(subject) { bytes, random in
            for _ in 0..<1 + random.below(3) {
                bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
            }
        }
    },
    damaged(
        "a truncated store is refused or read, and never crashes the process",
        proves: [
            "PersistentStore.open(_:): .corrupt", "StoreSnapshot.rows(for:): .corrupt",
            "RowCursor.next(atMost:): .corrupt", "FileStore: A damaged or truncated",
            "FileStore: Such a file never",
        ]
    ) {
        subject in
        try requireContainment(subject) { bytes, random in
            bytes = bytes.prefix(random.below(bytes.count))
        }
    },
    damaged(
        "a store that contains garbage is refused or read, and never crashes the process",
        proves: [
            "PersistentStore.open(_:): .corrupt", "StoreSnapshot.rows(for:): .corrupt",
            "RowCursor.next(atMost:): .corrupt", "FileStore: A damaged or truncated",
            "FileStore: Such a file never",
        ]
    ) {
        subject in
        try requireContainment(subject) { bytes, random in
            let start = random.below(bytes.count)
            for offset in start..<min(bytes.count, start + 1 + random.below(600)) {
                bytes[offset] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.below(4) == 0 { bytes.append(contentsOf: [0, 255, 128, 10]) }
        }
    },
    damaged(
        "another engine's file is refused and not changed",
        proves: [
            "PersistentStore.open(_:): A file or folder",
            "PersistentStore.open(_:): It is not changed.", "PersistentStore.open(_:): .notAStore",
            "FileStore.metadata(at:): .notAStore", "FileStore.metadata(at:): .corrupt",
        ]
    ) { subject in
        let engine = try subject.fileEngine()
        let url = try requireValue(
            subject.harness.location("foreign", in: subject.folder).fileURL, "the file's location")
        for (name, start) in otherEnginesFiles {
            let bytes = start + Data(count: 8192)
            try bytes.write(to: url)
            let request = OpenRequest(location: .file(url), model: subject.model)
            if engine.recognizes(.file(url)) {
                try requireError("\(name) with nothing after its beginning", .notAStore, .corrupt) {
                    try subject.open(request)
                }
            } else {
                // A file of the same library may be reported as damaged.
                try requireError("\(name)", .notAStore, .corrupt) {
                    try subject.open(request)
                }
                try requireError("\(name)", .notAStore, .corrupt) {
                    try subject.harness.metadata(at: .file(url))
                }
            }
            let after = try? Data(contentsOf: url)
            try require(after == bytes, "\(name) is unchanged")
        }
    },
]

private let otherEnginesFiles: [(String, Data)] = [
    ("a SQLite database", Data("SQLite format 3\0".utf8)),
    ("an LMDB database", Data(count: 16) + Data([0xDE, 0xC0, 0xEF, 0xBE, 1, 0, 0, 0])),
    ("a binary store", Data([0x89, 0x43, 0x41, 0x49, 0x52, 0x4E, 0x0D, 0x0A])),
    ("a binary property list", Data("bplist00".utf8)),
    ("an XML store", Data("<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM \"x\">".utf8)),
]

/// Damages a store's files in many ways, and lets another process read each of them. That process must
/// survive, and answer or throw a ``StoreError``.
private func requireContainment(
    _ subject: StoreSubject, _ damage: (inout Data, inout SplitMix64) -> Void
) throws {
    _ = try MusicFixture(subject, copies: 5)
    try subject.store.close()
    let location = WorkerLocation(subject.location)
    let sound = try subject.files().filter { !$0.value.isEmpty }
    let paths = sound.keys.sorted()
    var random = SplitMix64(state: subject.seed)
    var worker = try WorkerProcess(subject.harness)
    for attempt in 0..<40 {
        let damaged = paths[random.below(paths.count)]
        var bytes = sound[damaged] ?? Data()
        damage(&bytes, &random)
        try bytes.write(to: URL(fileURLWithPath: damaged))
        do {
            _ = try worker.ask(.readAll(location))
        } catch let violation as RuleViolation {
            if subject.harness.damageMayEndProcess, worker.wasEndedBySignal {
                worker = try WorkerProcess(subject.harness)
                try sound[damaged]?.write(to: URL(fileURLWithPath: damaged))
                continue
            }
            throw RuleViolation(detail: "\(violation.detail) (attempt \(attempt))")
        }
        try sound[damaged]?.write(to: URL(fileURLWithPath: damaged))
        // A new process is started regularly, so that the effects of one file do not hide those of the
        // next.
        if attempt % 10 == 9 { worker = try WorkerProcess(subject.harness) }
    }
    let reply = try worker.ask(.readAll(location))
    try requireEqual(reply.refusal, nil, "the refusal of the undamaged store")
}
