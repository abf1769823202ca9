"""The API server and the kubelet: what they do with any object and any pod.

``objects`` (names, owners, what is refused of any object), ``admission`` (what is refused of pods and Services) with
its parts: ``reason`` (how a refusal is said), ``names``, ``containers``, ``resources``, ``variables``, ``handlers``,
``volumes``, ``scheduling``, ``security``; ``pod_security`` (what a namespace's level refuses), ``room`` (whether pods
find room on empty nodes), ``bearing`` (how long they stay on a lost one), ``selectors`` (labels against selectors),
``companions`` (what is refused of claims, volumes, and ConfigMaps); ``stored`` (what the API server corrects in a pod),
``command`` (what a container really starts), ``argv`` (command lines that cannot work), ``shell`` (words by which one
is worth a look), ``script`` (what a shell's text calls), ``calls`` (what a whole line runs), ``launchers`` (what
torchrun, accelerate and DeepSpeed's are told), ``accelerate`` (its configuration file), ``lightning`` (how its programs
learn which pod they are in), ``self_started`` (programs that start processes by themselves, and what of their lines one
pod alone may have), ``trainer_line`` (where the trainer is called), ``directories`` (which ones images bring, and which
are names of file systems), ``hosts`` (the names by which pods are reached), ``network_policy`` (who reaches whom),
``job`` (what is refused of a Job beside its pods), ``batch`` (Jobs of Kubernetes itself), ``kubelet`` (pods that it
does not start).
"""
