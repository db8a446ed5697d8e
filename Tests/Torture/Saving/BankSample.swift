import Cairn
import Foundation

/// The stores of a bank without saves, to copy for trials.
struct BankSample: Sendable {
    let engines: [StoreType]
    let folder: String

    /// Returns the name that `--point` and reports use.
    static func name(of engines: [StoreType]) -> String {
        engines.map(\.rawValue).joined(separator: "+")
    }

    /// Creates the stores in a process of the lane.
    ///
    /// - Parameter hasBackup: Whether to make the saves and the backup of a ``BackupSubject``.
    init(_ engines: [StoreType], _ lane: Lane, hasBackup: Bool = false) throws {
        self.engines = engines
        folder = try lane.newFolder("bank")
        let subject = subject(in: folder)
        let making: Assignment =
            hasBackup ? .makeBackup(BackupSubject(bank: subject)) : .makeBank(subject)
        if let line = try lane.runSound(making).first {
            throw HarnessFailure("the stores of a bank: \(line)")
        }
    }

    /// Copies the stores into a folder.
    func copy(to folder: String) throws -> BankSubject {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: self.folder) {
            try files.copyItem(atPath: self.folder + "/" + name, toPath: folder + "/" + name)
        }
        return subject(in: folder)
    }

    private func subject(in folder: String) -> BankSubject {
        BankSubject(engines: engines.map(\.rawValue), folder: folder)
    }
}
