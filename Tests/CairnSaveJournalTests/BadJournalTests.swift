import Cairn
import CairnRows
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Testing

/// An unfinished save over several stores whose journal was changed or removed.
@Suite struct `A journal` {
    /// Leaves a save unfinished that sets `a` to 2 in two stores, and closes the stores.
    private func unfinished(_ types: [StoreType] = ["SQLite", "LMDB"]) throws -> SeveralStack {
        let stack = try SeveralStack(types)
        try stack.fill()
        let faults = stack.faults[0]
        try stack.inContext { context in
            try context.setAll(2)
            faults.fillDisk(at: .commit)
            defer { faults.stopFailing() }
            #expect(try graphError { try context.save() }?.isPending == true)
        }
        try stack.close()
        return stack
    }

    /// Opens one store alone. Returns the error if it cannot be opened.
    private func open(_ index: Int, of stack: SeveralStack) throws -> GraphError? {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: stack.coordinator.managedObjectModel)
        return try graphError {
            let store = try coordinator.addPersistentStore(
                ofType: stack.types[index], at: try stack.url(index))
            try coordinator.remove(store)
        }
    }

    private func expectFinished(_ stack: SeveralStack) throws {
        let again = try SeveralStack(stack.types, in: stack.folder)
        #expect(try again.items() == ["0=2", "1=2"])
        for index in again.files {
            let path = try again.pendingFile(index).path
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    /// A file that belongs to an unfinished save.
    enum SaveFile: CaseIterable {
        case journal, firstPointer, secondPointer

        fileprivate func url(in stack: SeveralStack) throws -> URL {
            switch self {
            case .journal: try stack.journal()
            case .firstPointer: try stack.pendingFile(0)
            case .secondPointer: try stack.pendingFile(1)
            }
        }

        /// The index of a store that cannot be opened without the file.
        fileprivate var store: Int { self == .secondPointer ? 1 : 0 }
    }

    @Test(arguments: SaveFile.allCases)
    func `with any changed byte is refused by name, and loses nothing`(
        _ which: SaveFile
    ) throws {
        let stack = try unfinished()
        let (file, index) = (try which.url(in: stack), which.store)
        let content = try Data(contentsOf: file)
        let before = try [0, 1].map { try Data(contentsOf: stack.url($0)) }
        #expect(content.count > 1000)

        // With a damaged journal, the stores are opened and queried, which is slow.
        let step = (which == .journal ? 16 : 1) * (TestSetting.isLong ? 1 : 8)
        for offset in content.indices where offset < 64 || offset % step == 0 {
            var changed = content
            changed[offset] ^= 1 << UInt8(offset % 8)
            try changed.write(to: file)
            let error = try open(index, of: stack)
            guard case .store(.saveInDoubt(let save))? = error, save.detail.contains("damaged")
            else {
                Issue.record("byte \(offset): \(error as Any)")
                return
            }
            #expect(try Data(contentsOf: file) == changed)
        }

        if which != .journal {
            #expect(try [0, 1].map { try Data(contentsOf: stack.url($0)) } == before)
        }
        try content.write(to: file)
        try expectFinished(stack)
    }

    @Test(arguments: [0, 1])
    func `whose pointer has a changed byte is finished through the other store`(
        _ index: Int
    ) throws {
        let stack = try unfinished()
        let file = try stack.pendingFile(index)
        var content = try Data(contentsOf: file)
        content[content.count / 2] ^= 1
        try content.write(to: file)

        let refusal = try open(index, of: stack)
        let finished = try open(1 - index, of: stack)

        guard case .store(.saveInDoubt)? = refusal else {
            Issue.record("\(refusal as Any)")
            return
        }
        #expect(finished == nil, "\(finished as Any)")
        try expectFinished(stack)
    }

    /// Opening the store next to which the journal was created reports the doubt, too.
    @Test(arguments: [["SQLite", "LMDB"], ["XML", "Binary"]] as [[StoreType]], [0, 1])
    func `that was removed by hand is reported by name, whichever store is opened alone`(
        _ types: [StoreType], _ index: Int
    ) throws {
        let stack = try unfinished(types)
        let journal = try stack.journal()
        let content = try Data(contentsOf: journal)
        try FileManager.default.removeItem(at: journal)

        let error = try open(index, of: stack)

        guard case .store(.saveInDoubt(let save))? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(save.detail.contains("“\(journal.path)” is missing"), "\(save.detail)")
        #expect(save.detail.contains("items0.store does not"), "\(save.detail)")
        try content.write(to: journal)
        try expectFinished(stack)
    }

    @Test(arguments: SaveFile.allCases)
    func `of a later version is refused, and kept`(_ which: SaveFile) throws {
        let stack = try unfinished()
        let (file, index) = (try which.url(in: stack), which.store)
        let content = try Data(contentsOf: file)
        var later = content
        later[8] = 9
        // The header contains the version and is followed by a checksum.
        let checksum = later.prefix(48).withUnsafeBytes { Checksum.of($0) }
        withUnsafeBytes(of: checksum.littleEndian) { later.replaceSubrange(48..<56, with: $0) }
        try later.write(to: file)

        let error = try open(index, of: stack)

        guard case .store(.unsupported(_, let feature, _))? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(feature.contains("version 9"))
        #expect(try Data(contentsOf: file) == later)
        try content.write(to: file)
        try expectFinished(stack)
    }

    @Test(arguments: [["SQLite", "LMDB"], ["XML", "SQLite"]] as [[StoreType]], [0, 1])
    func `of a store that was replaced is refused by name, and kept`(
        _ types: [StoreType], _ replaced: Int
    ) throws {
        let stack = try unfinished(types)
        let other = try SeveralStack(types)
        try other.fill()
        try other.close()
        let aside = stack.folder.file("aside")
        try FileManager.default.createDirectory(at: aside, withIntermediateDirectories: true)
        // Moves the store's files but not the journal's, as a program does that does not know about journals.
        for name in try FileManager.default.contentsOfDirectory(atPath: stack.folder.url.path)
        where name.hasPrefix("items\(replaced).store") && !name.contains("-pending") {
            try FileManager.default.moveItem(
                at: stack.folder.file(name), to: aside.appending(path: name))
        }
        try FileManager.default.copyItem(at: other.url(replaced), to: stack.url(replaced))

        for index in [0, 1] {
            let error = try open(index, of: stack)
            guard case .store(.saveInDoubt(let save))? = error else {
                Issue.record("store \(index): \(error as Any)")
                continue
            }
            #expect(save.detail.contains("another store"))
            #expect(save.detail.contains("items\(replaced).store"))
        }

        // The original store comes back.
        try FileManager.default.removeItem(at: stack.url(replaced))
        for name in try FileManager.default.contentsOfDirectory(atPath: aside.path) {
            let present = stack.folder.file(name)
            try? FileManager.default.removeItem(at: present)
            try FileManager.default.moveItem(at: aside.appending(path: name), to: present)
        }
        try expectFinished(stack)
    }
}
