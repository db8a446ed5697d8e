import CairnModel
import CairnRows
import CairnStore
import Foundation

private let storesAreNotFiles = "an engine without files writes no files"

private let requireNoFiles: ConformanceRule.Body = { subject in
    try subject.insert("File", ["blob": .binary(Data(repeating: 5, count: 300_000))])
    try requireEqual(try subject.files().count, 0, "the number of files of the store")
}

private func onFiles(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: .files, alternative: storesAreNotFiles,
        alternativeProves: ["FileStore: Engines whose stores are"], file: file, line: line,
        body: body,
        otherwise: requireNoFiles)
}

let fileRules: [ConformanceRule] = [
    onFiles(
        "a missing folder is not created, and opening throws .folderMissing",
        proves: [
            "PersistentStore.open(_:): Folders are not created",
            "PersistentStore.open(_:): .folderMissing",
        ]
    ) { subject in
        let folder = subject.folder.appending(path: "missing", directoryHint: .isDirectory)
        let location = subject.harness.location("store", in: folder)
        let request = OpenRequest(location: location, model: subject.model)
        try requireError("a store in a folder that does not exist", .folderMissing) {
            try subject.open(request)
        }
        try require(
            !FileManager.default.fileExists(atPath: folder.path), "the folder is not created")
    },
    onFiles(
        "a new store gets the identifier in the request, and keeps it",
        proves: [
            "OpenRequest.newStoreIdentifier: The identifier for a",
            "OpenRequest.newStoreIdentifier: An existing store keeps",
        ]
    ) {
        subject in
        let given = "6F7B1C1E-52A0-4C0B-9E0D-0A4B6C2D8E10"
        var request = OpenRequest(
            location: subject.harness.location("named", in: subject.folder), model: subject.model)
        request.newStoreIdentifier = given
        let created = try subject.open(request)
        let identifier = try created.metadata().identifier
        try created.close()
        request.newStoreIdentifier = "00000000-0000-4000-8000-000000000001"
        let again = try subject.open(request)
        defer { try? again.close() }
        try requireEqual(identifier, given, "the identifier of the new store")
        try requireEqual(try again.metadata().identifier, given, "the identifier that it keeps")
    },
    onFiles(
        "a store that is not open can be used exclusively, and its content is kept",
        proves: [
            "FileStore.withExclusiveUse(of:_:): Runs a body that",
            "FileStore.withExclusiveUse(of:_:): Before the body runs",
            "FileStore.withExclusiveUse(of:_:): The main file and",
        ]
    ) {
        subject in
        _ = try MusicFixture(subject)
        let saved = try StoreImage(subject)
        try subject.store.close()
        var hasRun = false
        try subject.withExclusiveUse { () throws(StoreError) in hasRun = true }
        try require(hasRun, "the body runs")
        let again = try subject.reopened()
        let found = try StoreImage(again)
        try require(found == saved, "the store contains what was saved")
    },
    onFiles(
        "exclusive use of a store with overwritten first bytes does not change its files",
        proves: ["FileStore.withExclusiveUse(of:_:): A store that is"]
    ) {
        subject in
        _ = try MusicFixture(subject)
        try subject.store.close()
        let file = try requireValue(
            try subject.files().max { $0.value.count < $1.value.count }, "the store's file")
        let count = min(64, file.value.count)
        try (Data(repeating: 0x5A, count: count) + file.value.dropFirst(count))
            .write(to: URL(fileURLWithPath: file.key))
        let damaged = try subject.files()
        do {
            try subject.withExclusiveUse {}
        } catch {
            // The engine may refuse the damaged store.
        }
        let found = try subject.files()
        for (path, bytes) in damaged {
            try require(found[path] == bytes, "the content of \(path) stays the same")
        }
    },
    onFiles(
        "a store is at exactly the requested path, whatever characters the path contains",
        proves: ["PersistentStore.open(_:): The store is at"]
    ) {
        subject in
        let folder = subject.folder.appending(path: "a folder, 100% Größe? #1")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let location = subject.harness.location("my store & co %41", in: folder)
        let url = try requireValue(location.fileURL, "the store's file")
        let store = try subject.opened(OpenRequest(location: location, model: subject.model))
        let id = try store.insert("File", ["blob": .binary(Data(repeating: 5, count: 300_000))])
        try store.store.close()
        try require(FileManager.default.fileExists(atPath: url.path), "the store is at its path")
        let again = try store.openAgain()
        defer { try? again.store.close() }
        try require(
            try again.value("blob", of: id) == .binary(Data(repeating: 5, count: 300_000)),
            "the saved content")
        try requireEqual(
            try FileManager.default.contentsOfDirectory(atPath: subject.folder.path)
                .filter { $0.hasPrefix("a") }, [folder.lastPathComponent], "the folders")
    },
    onFiles(
        "a file that is not one of the engine's stores is refused and not changed",
        proves: [
            "PersistentStore.open(_:): A file or folder",
            "PersistentStore.open(_:): It is not changed.", "PersistentStore.open(_:): .notAStore",
            "FileStore.recognizes(_:): Returns whether the file",
            "FileStore.metadata(at:): .notAStore", "FileStore.metadata(at:): .corrupt",
        ]
    ) { subject in
        let url = try requireValue(
            subject.harness.location("foreign", in: subject.folder).fileURL, "the file's location")
        for (name, bytes) in foreignFiles {
            try bytes.write(to: url)
            let engine = try subject.fileEngine()
            try require(!engine.recognizes(.file(url)), "\(name) is not recognized")
            try requireError("metadata of \(name)", .notAStore, .corrupt) {
                try engine.metadata(at: .file(url))
            }
            let request = OpenRequest(location: .file(url), model: subject.model)
            try requireError("opening \(name)", .notAStore, .corrupt) {
                try subject.open(request)
            }
            let after = try? Data(contentsOf: url)
            try require(after == bytes, "\(name) is unchanged")
        }
    },
    onFiles(
        "a folder that is not a store is refused and not changed",
        proves: [
            "PersistentStore.open(_:): A file or folder",
            "PersistentStore.open(_:): It is not changed.", "PersistentStore.open(_:): .notAStore",
            "FileStore.recognizes(_:): Returns whether the file",
        ]
    ) { subject in
        let url = try requireValue(
            subject.harness.location("foreign", in: subject.folder).fileURL, "the folder's location"
        )
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let file = url.appending(path: "note.txt")
        try Data("hello".utf8).write(to: file)
        let engine = try subject.fileEngine()
        try require(!engine.recognizes(.file(url)), "the folder is not recognized")
        let request = OpenRequest(location: .file(url), model: subject.model)
        try requireError("opening a folder of something else", .notAStore) {
            try subject.open(request)
        }
        try requireEqual(
            try FileManager.default.contentsOfDirectory(atPath: url.path), ["note.txt"],
            "the content of the folder")
    },
    onFiles(
        "a save throws .fileRemoved while the store's file is missing at its path",
        proves: ["PersistentStore.beginSave(): .fileRemoved"]
    ) { subject in
        let id = try subject.insert("Album", ["name": "kept"])
        let url = try requireValue(subject.location.fileURL, "the store's file")
        let aside = subject.folder.appending(path: "moved aside")
        try FileManager.default.moveItem(at: url, to: aside)
        try requireError("a save to a file that has no name", .fileRemoved) {
            try subject.save { try $0.update("Album", id, ["name": "lost"]) }
        }
        let exists = FileManager.default.fileExists(atPath: url.path)
        try require(!exists, "no file is created in place of the missing one")
        try FileManager.default.moveItem(at: aside, to: url)
        try subject.save { try $0.update("Album", id, ["name": "saved"]) }
        let again = try subject.reopened()
        defer { try? again.store.close() }
        try requireEqual(try again.value("name", of: id), "saved", "the value that is stored")
    },
    onFiles(
        "a save is refused if another file is at the store's path, which stays unchanged",
        proves: [
            "PersistentStore.beginSave(): .fileReplaced", "PersistentStore.beginSave(): .notAStore",
        ]
    ) {
        subject in
        let id = try subject.insert("Album", ["name": "kept"])
        let url = try requireValue(subject.location.fileURL, "the store's file")
        let aside = subject.folder.appending(path: "moved aside")
        let bytes = Data("Dear diary,\n".utf8)
        try FileManager.default.moveItem(at: url, to: aside)
        try bytes.write(to: url)
        // An engine that reads its whole file again may report the file's contents.
        try requireError("a save to a file that was replaced", .fileReplaced, .notAStore) {
            try subject.save { try $0.update("Album", id, ["name": "lost"]) }
        }
        let after = try? Data(contentsOf: url)
        try require(after == bytes, "the other file is unchanged")
        try FileManager.default.removeItem(at: url)
        try FileManager.default.moveItem(at: aside, to: url)
        let again = try subject.reopened()
        defer { try? again.store.close() }
        try requireEqual(try again.value("name", of: id), "kept", "the value that is stored")
    },
    onFiles(
        "reading metadata or a model at a location that is not a file throws .unsupported",
        proves: ["FileStore.metadata(at:): .unsupported"]
    ) {
        subject in
        let engine = try subject.fileEngine()
        let url = URL(string: "x-cairn-no-service://localhost/store")
        let service = try requireValue(url.flatMap(ServiceLocation.init), "an address")
        for location in [StoreLocation.memory("store"), .service(service)] {
            try require(!engine.recognizes(location), "\(location) is not recognized")
            try requireError("metadata of \(location)", .unsupported) {
                try subject.harness.metadata(at: location)
            }
            try requireError("the model of \(location)", .unsupported) {
                try engine.model(at: location)
            }
        }
    },
    onFiles(
        "a truncated store is refused or returns exactly what was saved",
        proves: ["PersistentStore.open(_:): .corrupt", "FileStore: A damaged or truncated"]
    ) {
        subject in
        _ = try MusicFixture(subject, copies: 20)
        let saved = try StoreImage(subject)
        try subject.store.close()
        let file = try requireValue(
            try subject.files().max { $0.value.count < $1.value.count }, "the store's file")
        for part in [0.95, 0.5, 0.2, 0.01] {
            let length = Int(Double(file.value.count) * part)
            try file.value.prefix(length).write(to: URL(fileURLWithPath: file.key))
            try requireRefusedOrEqual(subject, saved, "cut to \(length) of \(file.value.count)")
        }
    },
    onFiles(
        "a store whose first bytes are overwritten is refused or returns what was saved",
        proves: ["PersistentStore.open(_:): .corrupt", "FileStore: A damaged or truncated"]
    ) {
        subject in
        _ = try MusicFixture(subject)
        let saved = try StoreImage(subject)
        try subject.store.close()
        let file = try requireValue(
            try subject.files().max { $0.value.count < $1.value.count }, "the store's file")
        let count = min(64, file.value.count)
        let bytes = Data(repeating: 0x5A, count: count) + file.value.dropFirst(count)
        try bytes.write(to: URL(fileURLWithPath: file.key))
        try requireRefusedOrEqual(subject, saved, "with another beginning")
    },
    ConformanceRule(
        "a store's byte count is the size of its file and its existing companion files",
        proves: ["SelfCheckingStore.byteCount(): Returns the current size"],
        needs: .files,
        alternative: "the byte count of a store without files includes its values, or is nil",
        alternativeProves: ["SelfCheckingStore.byteCount(): For a store without"],
        body: { subject in
            let store = try subject.selfChecking()
            let empty = try requireValue(try store.byteCount(), "the bytes of a new store")
            _ = try MusicFixture(subject, copies: 20)
            try subject.insert("File", ["blob": .binary(Data(repeating: 1, count: 300_000))])
            let found = try requireValue(try store.byteCount(), "the bytes of the store")
            try requireEqual(found, try subject.byteCountOfFolder(), "the bytes of the store")
            try require(found >= empty + 300_000, "the bytes that were saved are counted")
        },
        otherwise: { subject in
            let store = try subject.selfChecking()
            guard let empty = try store.byteCount() else { return }
            try subject.insert("File", ["blob": .binary(Data(repeating: 1, count: 300_000))])
            let found = try requireValue(try store.byteCount(), "the bytes of the store")
            try require(found >= empty + 300_000, "the bytes that were saved are counted")
        }),
    onFiles(
        "a store moved with its companion files keeps its identifier and its content",
        proves: [
            "FileStore.companionFiles(of:): Returns the files beside",
            "StoreFile.Role.data: The file contains data",
            "StoreFile.Role.scratch: The file is created",
        ]
    ) {
        subject in
        let fixture = try MusicFixture(subject)
        let blob = Data(repeating: 1, count: 300_000)
        let id = try subject.insert("File", ["blob": .binary(blob)])
        let identifier = try subject.store.metadata().identifier
        try subject.store.close()
        let target = subject.harness.location("moved", in: subject.folder)
        try move(subject.location, to: target, of: try subject.fileEngine())
        let store = try subject.open(
            OpenRequest(location: target, model: subject.model, createsMissing: false))
        defer { try? store.close() }
        try requireEqual(try store.metadata().identifier, identifier, "the identifier")
        let snapshot = try store.snapshot()
        let ids = (fixture.albums + [id]).map {
            ObjectID(store: store.number, rootEntity: $0.rootEntity, entity: $0.entity, key: $0.key)
        }
        let rows = try snapshot.rows(for: ids)
        try requireEqual(Set(rows.ids), Set(ids), "the objects of the moved store")
        let row = try requireValue(rows.rows.first { $0.key == id.key && $0.id == ids[3] }, "a row")
        try require(
            try subject.value("blob", of: row, in: snapshot) == .binary(blob), "the large value")
    },
]

private let foreignFiles: [(String, Data)] = [
    ("an empty file", Data()), ("a text", Data("Dear diary,\n".utf8)),
    ("zeros", Data(count: 5000)), ("a JSON file", Data("{\"a\": [1, 2]}".utf8)),
    ("an XML file", Data("<?xml version=\"1.0\"?><plist><dict/></plist>".utf8)),
    ("a picture", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 300)),
]

private func move(
    _ source: StoreLocation, to target: StoreLocation, of engine: any FileStore.Type
) throws {
    guard let from = source.fileURL, let to = target.fileURL else { return }
    let old = engine.companionFiles(of: source)
    let new = engine.companionFiles(of: target)
    try requireEqual(old.map(\.role), new.map(\.role), "the roles of companions")
    try FileManager.default.moveItem(at: from, to: to)
    for (old, new) in zip(old, new)
    where old.role == .data && FileManager.default.fileExists(atPath: old.url.path) {
        try FileManager.default.moveItem(at: old.url, to: new.url)
    }
}

/// All rows of a store, for comparison with the rows of a damaged store.
private struct StoreImage {
    let rows: [String: [Row]]

    init(_ subject: StoreSubject) throws {
        var rows: [String: [Row]] = [:]
        for entity in subject.model.entities where entity.superentity == nil {
            rows[entity.name] = try subject.rows(entity.name)
        }
        self.rows = rows
    }

    static func == (left: StoreImage, right: StoreImage) -> Bool {
        left.rows.allSatisfy { name, rows in
            let others = right.rows[name] ?? []
            return rows.count == others.count && zip(rows, others).allSatisfy(Row.hasSameBytes)
        }
    }
}

private func requireRefusedOrEqual(
    _ subject: StoreSubject, _ saved: StoreImage, _ words: String
) throws {
    let found: StoreImage
    do {
        let damaged = try subject.openAgain(isReadOnly: true)
        defer { try? damaged.store.close() }
        found = try StoreImage(damaged)
    } catch is StoreError {
        return
    }
    try require(found == saved, "a store \(words) is refused, or has the rows that were saved")
}

extension StoreSubject {
    /// Returns the total size of all files in the rule's folder.
    func byteCountOfFolder() throws -> Int {
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.fileSizeKey, .isRegularFileKey])
        var byteCount = 0
        for case let url as URL in try requireValue(found, "the rule's folder") {
            let values = try url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            if values.isRegularFile == true { byteCount += values.fileSize ?? 0 }
        }
        return byteCount
    }

    /// Returns the store's files with their bytes, except scratch files.
    func files() throws -> [String: Data] {
        let scratch = Set(
            (harness.engine as? any FileStore.Type)?.companionFiles(of: location)
                .filter { $0.role == .scratch }.map(\.url.path) ?? [])
        var files: [String: Data] = [:]
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let url as URL in try requireValue(found, "the rule's folder")
        where !scratch.contains(url.path) {
            // The harness's service may have a socket in the folder.
            let values = try url.resourceValues(forKeys: [.isRegularFileKey])
            if values.isRegularFile == true { files[url.path] = try Data(contentsOf: url) }
        }
        return files
    }
}
