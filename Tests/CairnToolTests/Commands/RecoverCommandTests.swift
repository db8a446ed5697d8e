import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Tests `cairn store recover`, and other commands while a save over two stores is pending.
@Suite struct `Recover command` {
    private func interrupted(_ type: StoreType = .sqlite) throws -> TwoStores {
        let stores = try TwoStores(type)
        try stores.interruptSave()
        return stores
    }

    private func recover(_ stores: TwoStores, _ flags: String...) throws -> ToolRun {
        try ToolRun(["store", "recover", stores.first.path] + flags)
    }

    private func count(in store: URL) throws -> String {
        try ToolRun(["store", "query", store.path, "--entity", "Item", "--count"]).text
    }

    @Test(arguments: everyFileEngine)
    func `reports the state of each store, and finishes the save`(_ type: StoreType) throws {
        let stores = try interrupted(type)

        let run = try recover(stores)
        let again = try recover(stores)
        let dump = try ToolRun(["store", "dump", stores.first.path, stores.second.path])

        #expect(run.exitCode == 0, "\(run.text)\(run.errorText)")
        #expect(run.text.contains("complete, so the save has succeeded"))
        #expect(run.text.contains("\(stores.first.path)  | \(type)"), "\(run.text)")
        #expect(run.text.contains("  - write the save to \(stores.second.path)\n"))
        #expect(run.text.hasSuffix("done\n"))
        #expect(again.exitCode == 0)
        #expect(again.text == "\(stores.first.path): no save is pending\n")
        #expect(dump.text.contains("\"item 2.1\"") && dump.text.contains("\"item 2.2\""))
    }

    @Test func `treats the stores of one save as one, whichever is named first`() throws {
        let stores = try interrupted()

        let run = try ToolRun(["store", "recover", stores.second.path, stores.first.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.components(separatedBy: "save      ").count == 2)
        #expect(try count(in: stores.second) == "2\n")
    }

    @Test func `only reports with --dry-run what it would do`() throws {
        let stores = try interrupted()
        let files = { try stores.content().filter { $0.key.contains("-pending") } }
        let before = try files()

        let run = try recover(stores, "--dry-run")

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.contains("would be done:\n  - write the save to \(stores.second.path)\n"))
        #expect(!run.text.contains("done\n"))
        #expect(try files() == before && before.count == 3)
        #expect(run.text.contains("not saved"))
    }

    @Test func `removes the traces of a save that did not take place`() throws {
        let stores = try interrupted()
        // The state is the same as if the process had died before it wrote the journal, so neither store has
        // the save.
        try restoreFirst(of: stores)
        try FileManager.default.removeItem(at: stores.journal())

        let run = try ToolRun(["store", "recover", stores.second.path])

        #expect(run.exitCode == 0, "\(run.text)\(run.errorText)")
        #expect(run.text.contains("the save did not take place: no store contains it"))
        #expect(!(try stores.content().keys.contains { $0.contains("-pending") }))
    }

    /// Restores the state of the first store before the save.
    private func restoreFirst(of stores: TwoStores) throws {
        let identifier = try SQLiteStore.metadata(at: .file(stores.first)).identifier
        let files = FileManager.default
        for suffix in ["", "-wal", "-shm"]
        where files.fileExists(atPath: stores.first.path + suffix) {
            try files.removeItem(atPath: stores.first.path + suffix)
        }
        var request = OpenRequest(
            location: .file(stores.first), model: try TwoStores.compiled.get())
        request.newStoreIdentifier = identifier
        try SQLiteStore.open(request).close()
    }

    // MARK: Saves in doubt

    @Test func `names a missing partner, and finishes without it only when told to`() throws {
        let stores = try interrupted()
        let away = stores.folder.file("away")
        try FileManager.default.moveItem(at: stores.second, to: away)

        let refused = try recover(stores)
        let told = try recover(stores, "--override-doubt", "--dry-run")
        let before = try ToolRun(["store", "dump", stores.first.path])
        let done = try recover(stores, "--override-doubt")
        let dump = try ToolRun(["store", "dump", stores.first.path])
        try FileManager.default.moveItem(at: away, to: stores.second)
        let back = try ToolRun(["store", "recover", stores.second.path])

        #expect(refused.exitCode == 1)
        #expect(refused.text.contains("in doubt: its store \(stores.second.path) is missing"))
        #expect(refused.text.contains("--override-doubt, which would:\n  - leave out "))
        #expect(told.exitCode == 0, "\(told.text)\(told.errorText)")
        #expect(told.text.contains("would be done:\n  - leave out \(stores.second.path)\n"))
        #expect(before.exitCode == 1)
        #expect(done.exitCode == 0, "\(done.text)\(done.errorText)")
        #expect(done.text.contains("is being done:\n  - leave out \(stores.second.path)\n"))
        #expect(dump.exitCode == 0, "\(dump.errorText)")
        #expect(dump.text.contains("item 2.1"))
        #expect(back.exitCode == 0, "\(back.text)\(back.errorText)")
        #expect(back.text.hasSuffix("done\n"))
        #expect(try count(in: stores.second) == "2\n")
    }

    /// The second store of the save is replaced by one that has another identifier, as a backup has that
    /// `cairn store copy` made.
    @Test(arguments: everyFileEngine)
    func `ends a save without a store that was restored from a copy, and says what each contains`(
        _ type: StoreType
    ) throws {
        let stores = try TwoStores(.sqlite, type)
        let copy = stores.folder.file("copy")
        let copied = try ToolRun([
            "store", "copy", stores.second.path, copy.path, "--type", type.rawValue,
        ])
        try stores.interruptSave()
        try FileManager.default.removeItem(at: stores.second)
        try FileManager.default.moveItem(at: copy, to: stores.second)
        for suffix in ["-wal", "-shm", "-lock"] {
            try? FileManager.default.removeItem(atPath: stores.second.path + suffix)
        }

        let refused = try recover(stores)
        let done = try recover(stores, "--override-doubt")
        let again = try ToolRun(["store", "recover", stores.second.path])
        let second = try count(in: stores.second)

        #expect(copied.exitCode == 0, "\(copied.errorText)")
        #expect(refused.exitCode == 1)
        #expect(done.exitCode == 0, "\(done.text)\(done.errorText)")
        #expect(done.text.contains("  - \(stores.first.path) contains the save\n"), "\(done.text)")
        let unchanged = "  - \(stores.second.path) is unchanged, and does not contain the save: "
        #expect(done.text.contains(unchanged), "\(done.text)")
        #expect(again.text == "\(stores.second.path): no save is pending\n")
        #expect(second == "1\n")
    }

    @Test func `reports that a copy is not a store of the save`() throws {
        let stores = try interrupted()
        let copy = stores.folder.file("copy")
        for suffix in ["", "-pending"] {
            try FileManager.default.copyItem(
                atPath: stores.second.path + suffix, toPath: copy.path + suffix)
        }

        let refused = try ToolRun(["store", "recover", copy.path])
        let done = try ToolRun(["store", "recover", copy.path, "--override-doubt"])
        let pending = try recover(stores, "--dry-run")

        #expect(refused.exitCode == 1)
        #expect(refused.text.contains("it was copied or renamed since"), "\(refused.text)")
        #expect(done.exitCode == 0, "\(done.text)\(done.errorText)")
        #expect(try count(in: copy) == "1\n")
        #expect(pending.text.contains("not saved"))
    }

    /// The other store is only at its old path, and belongs to the original.
    @Test(arguments: [false, true])
    func `changes no original if one store was copied with its journal`(
        _ overrides: Bool
    ) throws {
        let stores = try interrupted()
        let elsewhere = try TemporaryFolder()
        let journal = try stores.journal()
        let isBesideFirst = journal.lastPathComponent.hasPrefix("first")
        let copied = isBesideFirst ? stores.first : stores.second
        let copy = elsewhere.file(copied.lastPathComponent)
        let names = try FileManager.default.contentsOfDirectory(atPath: stores.folder.url.path)
        for name in names where name.hasPrefix(copied.lastPathComponent) {
            try FileManager.default.copyItem(
                at: stores.folder.file(name), to: elsewhere.file(name))
        }
        let before = try stores.content()

        let run = try ToolRun(
            ["store", "recover", copy.path] + (overrides ? ["--override-doubt"] : []))

        #expect(run.exitCode == (overrides ? 0 : 1), "\(run.text)\(run.errorText)")
        #expect(try stores.content() == before)
        if overrides { #expect(try count(in: copy) == "2\n") }
        let done = try recover(stores)
        #expect(done.exitCode == 0, "\(done.text)\(done.errorText)")
        #expect(try count(in: stores.second) == "2\n")
    }

    /// Runs from either store, because the journal is next to only one of them.
    @Test(arguments: [\TwoStores.first, \TwoStores.second])
    func `reports what is lost if a journal is gone that one store has applied`(
        _ store: KeyPath<TwoStores, URL> & Sendable
    ) throws {
        let stores = try interrupted()
        try FileManager.default.removeItem(at: stores.journal())
        let path = stores[keyPath: store].path

        let refused = try ToolRun(["store", "recover", path])
        let read = try ToolRun(["store", "dump", path])
        let done = try ToolRun(["store", "recover", path, "--override-doubt"])

        let lost = "  - lose the save's changes to \(stores.second.path) for good\n"
        #expect(refused.exitCode == 1)
        #expect(refused.text.contains("in doubt: its journal is lost"))
        #expect(refused.text.contains(lost), "\(refused.text)")
        #expect(read.exitCode == 1)
        #expect(done.exitCode == 0, "\(done.errorText)")
        #expect(done.text.contains("the stores are left unchanged\n" + lost + "done\n"))
        #expect(try count(in: stores.second) == "1\n")
    }

    @Test func `reports a changed byte, and a journal of a later version`() throws {
        let stores = try interrupted()
        let file = try stores.journal()
        let sound = try Data(contentsOf: file)
        var (damaged, later) = (sound, sound)
        damaged[damaged.count - 5] ^= 1
        later[8] = 3
        let checksum = later.prefix(48).withUnsafeBytes(Checksum.of)
        later.replaceSubrange(48..<56, with: withUnsafeBytes(of: checksum.littleEndian, Array.init))

        try damaged.write(to: file)
        let ofDamaged = try recover(stores)
        try later.write(to: file)
        let ofLater = try recover(stores)
        let info = try ToolRun(["store", "info", stores.first.path])
        try sound.write(to: file)
        let ofSound = try recover(stores)

        #expect(ofDamaged.exitCode == 1)
        #expect(ofDamaged.text.contains("damaged: "), "\(ofDamaged.text)")
        #expect(ofLater.exitCode == 1)
        #expect(ofLater.errorText.contains("later version of Cairn"), "\(ofLater.errorText)")
        #expect(info.exitCode == 0, "\(info.errorText)")
        #expect(info.text.contains("later version of Cairn"), "\(info.text)")
        #expect(ofSound.exitCode == 0, "\(ofSound.errorText)")
    }

    @Test func `refuses a missing store`() throws {
        let run = try ToolRun(["store", "recover", "/nowhere/at all.sqlite"])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("/nowhere/at all.sqlite"))
    }

    // MARK: Other commands

    @Test(arguments: everyFileEngine)
    func `is not run by info, which only names the partners of a pending save`(
        _ type: StoreType
    ) throws {
        let stores = try interrupted(type)
        let before = try stores.content()

        let text = try ToolRun(["store", "info", stores.second.path])
        let json = try ToolRun(["store", "info", stores.first.path, "--json"])
        let both = try ToolRun(["store", "info", stores.first.path, stores.second.path])

        let report = try #require(
            try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
        let pending = try #require(report["pendingSave"] as? [String: Any])
        #expect(text.exitCode == 0, "\(text.errorText)")
        #expect(
            text.text.contains("pending     the save includes \(stores.first.path) (\(type))\n")
                || text.text.contains("\(stores.first.path) (\(type))\n"))
        #expect(
            text.text.contains("to finish it, run: cairn store recover \(stores.second.path)\n"))
        #expect((pending["stores"] as? [[String: Any]])?.count == 2)
        #expect(both.exitCode == 0 && both.text.contains("pending "))
        #expect(
            try stores.content().filter { $0.key.contains("-pending") }
                == before.filter { $0.key.contains("-pending") })
    }

    @Test(arguments: everyFileEngine)
    func `is recommended by the other commands, which change nothing`(_ type: StoreType) throws {
        let stores = try interrupted(type)
        let model = stores.folder.file("Shop.mom")
        let newer = try ManagedObjectModel(TwoStores.entities + [EntityDescription("New")])
        try ModelCreator.create(
            VersionedModel(versions: ["2": newer], currentName: "2"), as: .mom, at: model)
        let copy = stores.folder.file("copy").path
        let before = try stores.content()
        let (first, second) = (stores.first.path, stores.second.path)

        for command in [
            ["dump", first], ["dump", first, second], ["verify", second],
            ["query", first, "--entity", "Item"],
            ["query", first, second, "--entity", "Item"],
            ["query", first, second, "--entity", "Item", "--count"],
            ["copy", first, copy, "--type", "LMDB"],
            ["copy", second, first, "--type", "LMDB", "--replace"],
            ["migrate", first, "--to", model.path],
            ["migrate", first, "--to", model.path, "--rehearse"],
        ] {
            let run = try ToolRun(["store"] + command)

            #expect(run.exitCode == 1, "\(command): \(run.text)")
            #expect(run.output.isEmpty, "\(command): \(run.text)")
            #expect(
                run.errorText.contains("cairn store recover "), "\(command): \(run.errorText)")
        }
        let tour = try ToolRun(["tour", first])
        #expect(tour.exitCode == 1)
        #expect(tour.errorText.contains("cairn store recover "), "\(tour.errorText)")
        #expect(Set(try stores.content().keys) == Set(before.keys))
        let run = try ToolRun(["store", "recover", first])
        #expect(run.exitCode == 0, "\(run.text)\(run.errorText)")
    }
}
