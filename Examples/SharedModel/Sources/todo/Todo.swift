import Foundation
import TodoPrograms

/// A program that keeps things to do: `todo [--engine ENGINE] [--store PATH] COMMAND`.
@main enum Todo {
    static func main() async {
        do {
            let options = try ProgramOptions()
            for line in try await options.todoStore().answer(options.words) { print(line) }
        } catch {
            FileHandle.standardError.write(Data("todo: \(error)\n".utf8))
            exit(1)
        }
    }
}
