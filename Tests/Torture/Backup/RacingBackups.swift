import Cairn
import CairnStore
import Foundation

/// A program that backs up the stores of a bank again and again while other programs save to them, and looks at each
/// backup. It prints these lines:
///
///     ready                  waits until it may begin
///     backups COUNT          at its end
///     torn TEXT              the stores of a backup are of different moments
struct RacingBackups: Codable, Sendable {
    var subject: BankSubject
    var seconds: Double
    var planted: PlantedDefect?

    func run() throws {
        let coordinator = try subject.coordinator()
        Conversation.say("ready")
        _ = Conversation.hear()
        let end = Date(timeIntervalSinceNow: seconds)
        var count = 0
        while Date() < end {
            let folder = URL(fileURLWithPath: "\(subject.folder)-backup-\(count)")
            try backUp(coordinator, to: folder)
            try check(folder)
            try FileManager.default.removeItem(at: folder)
            count += 1
        }
        Conversation.say("backups \(count)")
        try coordinator.removeAll()
    }

    private func backUp(_ coordinator: PersistentStoreCoordinator, to folder: URL) throws {
        guard planted == .backsUpOneByOne else {
            try coordinator.backUp(to: folder)
            return
        }
        mkdir(folder.path, 0o700)
        for store in coordinator.persistentStores {
            guard let name = store.url?.lastPathComponent else { continue }
            try StoreCopier(to: type(of: store)).copy(store, to: folder.appending(path: name))
        }
    }

    /// Opens the copies as they are.
    private func check(_ folder: URL) throws {
        let copy = BankSubject(engines: subject.engines, folder: folder.path)
        let saves = try subject.engines.indices.map { index in
            let content = try copy.content(of: index)
            let balance = Bank.balance(
                of: index, among: subject.engines.count, after: content.saves)
            if content.balances != [balance] {
                Conversation.say("torn store \(index) holds \(content.balances)")
            }
            return Set(content.saves)
        }
        guard let first = saves.first, let other = saves.first(where: { $0 != first }) else {
            return
        }
        Conversation.say(
            "torn \(first.symmetricDifference(other).count) saves are in some stores only")
    }
}
