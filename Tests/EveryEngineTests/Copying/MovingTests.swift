import Cairn
import FolderStore
import Foundation
import Testing

@testable import CairnStoreCopying

@Suite struct `A store that is moved` {
    @Test(arguments: FileStack.types)
    func `keeps its contents, and is only at its new location`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let old = try stack.make("dawn", "noon", at: "old")
        try FileManager.default.createDirectory(
            at: stack.url("new"), withIntermediateDirectories: false)
        let new = stack.url("new/store")

        try stack.coordinator().movePersistentStore(at: old, to: new, ofType: type)

        #expect(try stack.files().filter { !$0.hasPrefix("new") } == [])
        if type == .sqlite { #expect(try stack.files().count(where: stack.isExternal) == 4) }
        #expect(try stack.titles(new) == ["dawn", "noon"])
    }

    @Test(arguments: FileStack.types)
    func `is refused while this process has it open`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let file = try stack.make("dawn", at: "store")
        let (own, other) = (stack.coordinator(), stack.coordinator())
        try own.addPersistentStore(ofType: type, at: file)

        let ownError = stack.error {
            try own.movePersistentStore(at: file, to: stack.url("new"), ofType: type)
        }
        let otherError = stack.error {
            try other.movePersistentStore(at: file, to: stack.url("new"), ofType: type)
        }

        guard case .storeAlreadyAdded? = ownError, case .store(.locked)? = otherError else {
            Issue.record("own: \(ownError as Any), other: \(otherError as Any)")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: stack.url("new").path))
    }

    @Test(arguments: FileStack.types)
    func `is refused while another process has it open, as are deletion and replacement`(
        _ type: StoreType
    ) throws {
        let stack = try FileStack(type)
        let (file, other) = (
            try stack.make("dawn", at: "store"), try stack.make("noon", at: "other")
        )
        let coordinator = stack.coordinator()
        let holder = try stack.holder(file)

        let errors = [
            stack.error {
                try coordinator.movePersistentStore(at: file, to: stack.url("new"), ofType: type)
            },
            stack.error { try coordinator.destroyPersistentStore(at: file, ofType: type) },
            stack.error {
                try coordinator.replacePersistentStore(
                    at: file, withPersistentStoreFrom: other, type: type)
            },
            stack.error {
                try coordinator.replacePersistentStore(
                    at: other, withPersistentStoreFrom: file, type: type)
            },
        ]
        holder.killNow()

        for error in errors {
            guard case .store(.locked(_, let holder))? = error else {
                Issue.record("not refused as locked: \(error as Any)")
                continue
            }
            #expect(holder.contains("process"))
        }
        #expect(try stack.titles(file) == ["dawn"])
        #expect(try stack.titles(other) == ["noon"])
        try coordinator.movePersistentStore(at: file, to: stack.url("new"), ofType: type)
        #expect(try stack.titles(stack.url("new")) == ["dawn"])
    }

    @Test(arguments: FileStack.types)
    func `is refused if the destination exists or its folder does not`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let (file, other) = (
            try stack.make("dawn", at: "store"), try stack.make("noon", at: "other")
        )
        let coordinator = stack.coordinator()

        let inTheWay = stack.error {
            try coordinator.movePersistentStore(at: file, to: other, ofType: type)
        }
        let nowhere = stack.error {
            try coordinator.movePersistentStore(
                at: file, to: stack.url("missing/store"), ofType: type)
        }

        guard case .destinationExists? = inTheWay, case .store(.folderMissing)? = nowhere else {
            Issue.record("in the way: \(inTheWay as Any), nowhere: \(nowhere as Any)")
            return
        }
        #expect(try stack.titles(file) == ["dawn"])
        #expect(try stack.titles(other) == ["noon"])
    }

    @Test(arguments: FileStack.types)
    func `is complete at the new location if a crash follows the rename`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let (old, new) = (try stack.make("dawn", at: "old"), stack.url("new"))
        let engine = try FileStack.registry.fileEngine(ofType: type, for: .file(old))

        try engine.withExclusiveUse(of: .file(old)) { () throws(StoreError) in
            try StoreFileSet(engine, at: old).publish(
                at: StoreFileSet(engine, at: new), replacing: nil, puttingAside: new)
        }

        #expect(!FileManager.default.fileExists(atPath: old.path))
        #expect(try stack.titles(new) == ["dawn"])
    }

    @Test func `is complete at the old location if a crash precedes the rename`() throws {
        let stack = try FileStack(.sqlite)
        let (old, new) = (try stack.make("dawn", at: "old"), stack.url("new"))

        try SQLiteStore.withExclusiveUse(of: .file(old)) { () throws(StoreError) in
            try StoreFileSet(SQLiteStore.self, at: old)
                .shareData(with: StoreFileSet(SQLiteStore.self, at: new))
        }

        #expect(try stack.titles(old) == ["dawn"])
        #expect(!FileManager.default.fileExists(atPath: new.path))
    }
}

@Suite struct `A destroyed store` {
    @Test(arguments: FileStack.types)
    func `leaves none of its files`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let file = try stack.make("dawn", at: "store")

        try stack.coordinator().destroyPersistentStore(at: file, ofType: type)

        #expect(try stack.files() == [])
    }
}
