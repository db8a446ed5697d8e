import Cairn
import CairnTestSupport
import Foundation
import Testing

/// Every fetch request template of the real models becomes a request that runs, or is refused with a reason.
@Suite(.enabled(if: Corpus.isThere)) struct `Fetch request templates of real models` {
    /// A template from a model file.
    private struct Case {
        let file: String
        let model: ManagedObjectModel
        let name: String
    }

    private static func cases() -> [Case] {
        Corpus.all { ["xcdatamodel", "mom"].contains($0.pathExtension) }.flatMap { file in
            guard let model = try? ManagedObjectModel(contentsOf: file) else { return [Case]() }
            return model.description.fetchRequestTemplates.keys.sorted().map {
                Case(file: file.lastPathComponent, model: model, name: $0)
            }
        }
    }

    /// Values to try for a variable. The first value that fits is used.
    private static let candidates: [any Sendable] = ["text", 5, true, Date(), UUID(), Value.null]

    /// Substitutes the variables one by one, as the errors request them.
    private func request(_ test: Case) throws -> FetchRequest<ManagedObject> {
        var values: [String: Any] = [:]
        var tried: [String: Int] = [:]
        var last: String?
        while true {
            do {
                return try test.model.fetchRequestFromTemplate(
                    withName: test.name, substitutionVariables: values)
            } catch {
                last = Self.variable(toFillAfter: error, last)
                guard let last, tried[last, default: 0] < Self.candidates.count else { throw error }
                values[last] = Self.candidates[tried[last, default: 0]]
                tried[last, default: 0] += 1
            }
        }
    }

    /// Returns the variable that has no value, or the last one if its value has a wrong type.
    private static func variable(toFillAfter error: any Error, _ last: String?) -> String? {
        guard case GraphError.fetchRequestTemplate(_, let reason) = error else { return nil }
        return switch reason {
        case .unsetVariable(let name): name
        case .typeMismatch: last
        default: nil
        }
    }

    @Test func `become requests that run, or are refused with reasons`() throws {
        let cases = Self.cases()
        var refused: [String] = []
        for test in cases {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: test.model)
            _ = try coordinator.addPersistentStore(ofType: .inMemory, at: nil)
            do {
                let request = try request(test)
                let count = try ContextHandle(coordinator: coordinator)
                    .performAndWait { try $0.count(for: request) }
                #expect(count == 0)
            } catch {
                refused.append("\(test.file) \(test.name): \(error)")
            }
        }

        #expect(cases.count >= 9)
        #expect(refused == [])
    }
}
