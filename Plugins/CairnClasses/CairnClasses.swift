import Foundation
import PackagePlugin

/// Generates the Swift classes of a target's models while the target is built.
///
/// Each `.xcdatamodeld` of the target becomes one file with a class for each entity. If the target
/// has a file with the name of a class, such as `Author.swift`, the program defines this class
/// itself. The plug-in then generates only its superclass, `AuthorProperties`.
@main
struct CairnClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let own = target.sourceFiles.map { $0.url.deletingPathExtension().lastPathComponent }
        let tool = try context.tool(named: "CairnClassWriter").url
        return models(in: target.directoryURL).map { model in
            let name = model.deletingPathExtension().lastPathComponent
            let output = context.pluginWorkDirectoryURL.appending(path: "\(name)Classes.swift")
            return .buildCommand(
                displayName: "Classes of \(model.lastPathComponent)", executable: tool,
                arguments: [model.path, output.path] + own, inputFiles: contents(of: model),
                outputFiles: [output])
        }
    }

    private func models(in folder: URL) -> [URL] {
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let found = (walk?.allObjects as? [URL]) ?? []
        return found.filter { $0.pathExtension == "xcdatamodeld" }.sorted { $0.path < $1.path }
    }

    /// Returns the files of a model. The command runs again when one of them changes.
    private func contents(of model: URL) -> [URL] {
        let walk = FileManager.default.enumerator(at: model, includingPropertiesForKeys: nil)
        return ((walk?.allObjects as? [URL]) ?? []).filter { !$0.hasDirectoryPath }
    }
}
