import Cairn
import Foundation
import GraphSupport

/// The worker's command for one of two programs that edit the same stores.
///
///     edit MODEL CONFIGURATION TYPE PATH …     opens the stores, and performs requests, one on each line
///
/// A configuration of `-` means all entities.
struct EditorVerbs {
    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 4, let number = Int(arguments[0]) else {
            throw WrongArguments(arguments)
        }
        let model = try SharedModel(number: number)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model.model)
        for index in stride(from: 2, to: arguments.count - 1, by: 2) {
            try coordinator.addPersistentStore(
                ofType: StoreType(arguments[index]),
                configurationName: arguments[1] == "-" ? nil : arguments[1],
                at: URL(fileURLWithPath: arguments[index + 1]))
        }
        let editor = Editor(coordinator, key: model.key)
        TestWorker.say("open")
        while let line = readLine() {
            do {
                let request = try JSONDecoder().decode(EditorRequest.self, from: Data(line.utf8))
                let reply = try editor.perform(request)
                TestWorker.say(String(decoding: try JSONEncoder().encode(reply), as: UTF8.self))
            } catch {
                TestWorker.say("failed: \(error)".replacing("\n", with: " "))
            }
        }
    }
}
