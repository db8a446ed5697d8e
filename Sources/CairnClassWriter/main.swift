import CairnFiles
import CairnModel
import CairnModelCode
import CairnModelFiles
import Foundation

// What the plug-in CairnClasses runs: it writes the classes of a model to one file. It is not the command `cairn`,
// because SwiftPM compiles the program of a plug-in, and all that it imports, apart from the user's program: with
// that command, all of Cairn twice.
//
// Arguments: the model, the file to write, and the names of the types that the user's program declares itself.

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 2 else {
    FileHandle.standardError.write(Data("Usage: CairnClassWriter MODEL FILE [CLASS…]\n".utf8))
    exit(2)
}
let location = URL(fileURLWithPath: arguments[1])
do {
    let name = location.deletingPathExtension().lastPathComponent
    let code = ModelCode(try ManagedObjectModel(contentsOf: location), name: name)
    let text = code.wholeText(handWritten: Set(arguments.dropFirst(2)))
    try DurableFile(URL(fileURLWithPath: arguments[2])).write(Array(text.utf8))
} catch {
    FileHandle.standardError.write(Data("error: \(location.lastPathComponent): \(error)\n".utf8))
    exit(1)
}
