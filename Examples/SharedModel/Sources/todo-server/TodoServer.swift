import Foundation
import TodoModels
import TodoPrograms

/// A server for one machine: `todo-server [--engine ENGINE] [--store PATH] PORT`.
///
/// A client sends a command in a line, with tabs between its words. The answer ends with an empty line.
@main enum TodoServer {
    static func main() async {
        do {
            let options = try ProgramOptions()
            guard let port = options.words.first.flatMap(UInt16.init) else {
                throw ProgramFailure("the number of a port is missing")
            }
            let store = try options.todoStore()
            let listener = try Listener(port: port)
            // Not with `print`, which may keep the text until there is more of it.
            FileHandle.standardOutput.write(Data("listening on \(port)\n".utf8))
            // Each connection is a task. Only the listener waits, on a thread of its own.
            for await connection in listener.connections {
                Task { await serve(connection, store) }
            }
        } catch {
            FileHandle.standardError.write(Data("todo-server: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func serve(_ connection: Connection, _ store: TodoStore) async {
        for await line in connection.lines {
            let words = line.split(separator: "\t").map(String.init)
            var answer: [String]
            do {
                answer = try await store.answer(words)
            } catch {
                answer = ["failed: \(error)"]
            }
            await connection.send(answer)
        }
        connection.close()
    }
}
