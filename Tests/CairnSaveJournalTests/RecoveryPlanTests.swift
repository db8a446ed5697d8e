import Cairn
import CairnSaveJournal
import CairnStore
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Testing

/// The tool's announcement of how it would handle an unfinished save, compared with what it then does.
@Suite struct `The plan of a recovery` {
    /// The stores that contain the save.
    enum Having: CaseIterable {
        case none, first, second, both

        func has(_ index: Int) -> Bool { self == .both || self == (index == 0 ? .first : .second) }
    }

    /// What somebody did to the files meanwhile.
    enum Deed: CaseIterable {
        case nothing
        case removeJournal, changeJournal
        case removePointer, changePointer
        case removeOtherPointer, changeOtherPointer
        case removePointerAndJournal
        case moveStore, moveOtherStore
        case moveStoreAndRemoveJournal
        case restoreStore, restoreOtherStore, restoreBothStores
        case restoreStoreAndRemoveJournal
        case replaceStore, replaceOtherStore
    }

    /// The copies of the stores that were made before the save: backups, and stores that have other
    /// identifiers.
    private struct Copies {
        let folder: TemporaryFolder

        init(of stack: SeveralStack) throws {
            folder = try TemporaryFolder()
            for index in [0, 1] {
                let file = try stack.url(index)
                try FileManager.default.copyItem(
                    at: file, to: folder.file("backup-\(file.lastPathComponent)"))
            }
            let others = try SeveralStack(stack.types)
            try others.fill()
            try others.close()
            for index in [0, 1] {
                let file = try others.url(index)
                try FileManager.default.copyItem(
                    at: file, to: folder.file("other-\(file.lastPathComponent)"))
            }
        }

        /// Replaces a store and the files beside it, except for those of the save.
        func put(_ kind: String, over file: URL) throws {
            for name in ["", "-wal", "-shm"].map({ file.path + $0 })
            where FileManager.default.fileExists(atPath: name) {
                try FileManager.default.removeItem(atPath: name)
            }
            try FileManager.default.copyItem(
                at: folder.file("\(kind)-\(file.lastPathComponent)"), to: file)
        }
    }

    @Test(arguments: Having.allCases, [false, true])
    func `describes what is actually done`(_ having: Having, _ overridesDoubt: Bool) throws {
        // Producing an unfinished save takes longer than handling it, so this is done only once.
        let (stack, copies) = try Self.unfinished(having)
        let files = try FolderContent(of: stack.folder.url)
        for deed in Deed.allCases {
            for asked in [0, 1] {
                try files.restore()
                try Self.perform(deed, on: stack, asked, copies)
                let name = "\(having), \(deed), asked about \(asked), override \(overridesDoubt)"
                let isOld = deed.restored(asked)
                let has = { having.has($0) && !isOld.contains($0) }
                try Self.compare(name, stack, has, asked, overridesDoubt)
            }
        }
    }

    private static func compare(
        _ name: String, _ stack: SeveralStack, _ has: (Int) -> Bool, _ asked: Int,
        _ overridesDoubt: Bool
    ) throws {
        let registry = stack.coordinator.registry
        let recovery = SaveRecovery(
            overridesDoubt: overridesDoubt, timeout: .seconds(5),
            service: { _, _, _, _ in .notSaved }
        ) { type, location throws(StoreError) in
            try registry.fileEngine(ofType: type, for: location)
        }
        let pending = try #require(PendingSaveFile(of: .file(try stack.url(asked))))
        let report = try recovery.report(on: pending)
        let plan = report?.plan(overridingDoubt: overridesDoubt)
        var error: StoreError?
        do throws(StoreError) {
            try recovery.finish(pending)
        } catch let thrown {
            error = thrown
        }

        var (taking, without): (Set<String>, Set<String>) = ([], [])
        switch (plan, error) {
        case (nil, nil), (.drop?, nil): break
        case (.replay(let stores, let others)?, nil):
            taking = Set(stores.map(\.description))
            without = Set(others.map(\.description))
        case (.doubt?, .saveInDoubt?), (.later?, .savePending?): break
        default: Issue.record("\(name): \(plan as Any), and then \(error as Any)")
        }
        for index in [0, 1] {
            let location = StoreLocation.file(try stack.url(index)).description
            guard FileManager.default.fileExists(atPath: try stack.url(index).path) else {
                #expect(taking.contains(location) == false, "\(name): takes one that is missing")
                continue
            }
            let value = try value(in: index, of: stack)
            let isNew = has(index) || taking.contains(location)
            #expect(value == (isNew ? 2 : 1), "\(name): store \(index), \(plan as Any)")
            #expect(without.contains(location) == false, "\(name): leaves out one that is there")
        }
        if error == nil {
            let isLeftOut = without.contains(pending.location.description)
            #expect(pending.exists == isLeftOut, "\(name): its pointer")
        }
    }

    // MARK: Files

    /// Leaves a save unfinished that sets `a` to 2. Its files are as they were before the commits. The
    /// copies of the stores are older than the state that the save changes.
    private static func unfinished(_ having: Having) throws -> (SeveralStack, Copies) {
        let old = try SeveralStack(["SQLite", "Binary"])
        try old.fill()
        try old.close()
        let copies = try Copies(of: old)
        let stack = try SeveralStack(old.types, in: old.folder)
        for a in [5, 1] as [Int64] {
            try stack.inContext { context in
                try context.setAll(a)
                try context.save()
            }
        }
        let failing = [0, 1].filter { !having.has($0) }
        // A save that all stores committed leaves no files, so they are restored below.
        let held = failing.isEmpty ? [1] : failing
        for index in held { stack.faults[index].fillDisk(at: .commit) }
        defer { for index in held { stack.faults[index].stopFailing() } }
        try stack.inContext { context in
            try context.setAll(2)
            #expect(try graphError { try context.save() }?.isPending == true)
        }
        try stack.close()
        guard failing.isEmpty else { return (stack, copies) }
        stack.faults[1].stopFailing()
        let files = try [stack.pendingFile(0), stack.pendingFile(1), stack.journal()]
        let contents = try files.map { try Data(contentsOf: $0) }
        try SeveralStack(stack.types, in: stack.folder).close()
        for (file, content) in zip(files, contents) { try content.write(to: file) }
        return (stack, copies)
    }

    private static func perform(
        _ deed: Deed, on stack: SeveralStack, _ asked: Int, _ copies: Copies
    ) throws {
        let (pointer, other) = (try stack.pendingFile(asked), try stack.pendingFile(1 - asked))
        let journal = try stack.journal()
        switch deed {
        case .nothing: break
        case .removeJournal: try remove(journal)
        case .changeJournal: try change(journal)
        case .removePointer: try remove(pointer)
        case .changePointer: try change(pointer)
        case .removeOtherPointer: try remove(other)
        case .changeOtherPointer: try change(other)
        case .removePointerAndJournal:
            try remove(pointer)
            try remove(journal)
        case .moveStore: try move(try stack.url(asked))
        case .moveOtherStore: try move(try stack.url(1 - asked))
        case .moveStoreAndRemoveJournal:
            try move(try stack.url(1 - asked))
            try remove(journal)
        case .restoreStore, .restoreOtherStore, .restoreBothStores:
            for index in deed.restored(asked) {
                try copies.put("backup", over: try stack.url(index))
            }
        case .restoreStoreAndRemoveJournal:
            try copies.put("backup", over: try stack.url(asked))
            try remove(journal)
        case .replaceStore: try copies.put("other", over: try stack.url(asked))
        case .replaceOtherStore: try copies.put("other", over: try stack.url(1 - asked))
        }
    }

    private static func remove(_ file: URL) throws { try FileManager.default.removeItem(at: file) }

    private static func move(_ file: URL) throws {
        try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("moved"))
    }

    private static func change(_ file: URL) throws {
        var content = try Data(contentsOf: file)
        content[content.count / 2] ^= 1
        try content.write(to: file)
    }

    /// Returns the value in a store, regardless of any pending save.
    private static func value(in index: Int, of stack: SeveralStack) throws -> Int64 {
        let model = stack.coordinator.managedObjectModel
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: stack.coordinator.registry)
        try coordinator.addPersistentStore(
            ofType: stack.types[index], configurationName: nil, at: try stack.url(index),
            options: [.readOnly: true])
        return try ContextHandle(coordinator: coordinator).performAndWait { context in
            let items = try context.fetch(FetchRequest<ManagedObject>("Item"))
            return try items.first?.value(forKey: "a") as? Int64 ?? -1
        }
    }
}

extension `The plan of a recovery`.Deed {
    /// The stores that do not contain the save any more, whether they contained it before or not.
    fileprivate func restored(_ asked: Int) -> [Int] {
        switch self {
        case .restoreStore, .restoreStoreAndRemoveJournal, .replaceStore: [asked]
        case .restoreOtherStore, .replaceOtherStore: [1 - asked]
        case .restoreBothStores: [0, 1]
        default: []
        }
    }
}
