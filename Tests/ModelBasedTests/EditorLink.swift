import CairnTestSupport
import Foundation
import GraphSupport

/// An editor in this process or another one.
protocol EditorLink: Sendable {
    func perform(_ request: EditorRequest) throws -> EditorReply
}

extension Editor: EditorLink {}

/// An editor in another process.
final class RemoteEditor: EditorLink, @unchecked Sendable {
    // Unchecked because one thread at a time uses it.
    private let worker: WorkerProcess

    init(_ arguments: [String]) throws {
        worker = try WorkerProcess(arguments)
        guard worker.line() == "open" else {
            throw Disagreement("a program could not open the stores")
        }
    }

    func perform(_ request: EditorRequest) throws -> EditorReply {
        let line = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        guard let answer = worker.answer(to: line) else { throw Disagreement("a program ended") }
        guard answer.hasPrefix("{") else { throw Disagreement("a program failed: \(answer)") }
        return try JSONDecoder().decode(EditorReply.self, from: Data(answer.utf8))
    }
}

extension EditorRequest {
    var summary: String {
        switch self {
        case .edit(let edits, _, let inRoot):
            (inRoot ? "in the root " : "") + edits.map { "\($0)" }.joined(separator: ", ")
        case .save(let policy): "save (\(policy.rawValue))"
        default: "\(self)"
        }
    }
}
