# SPDX-License-Identifier: Apache-2.0
# Completion of the command `ashlar` for bash. After the program's name everything is completed as if it stood alone.

_ashlar() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "run report export doctor simulate --help --version" -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
    run) options="--threads --stats --trace --hang --malloc --as --quiet --help" ;;
    report) options="--threads --as --trace --html --what-if --help" ;;
    export) options="--chrome" ;;
    doctor) options="--help" ;;
    *) return ;;
  esac
  case $previous in
    --threads | --hang | --as | --what-if) return ;;
    --trace | --html | --chrome)
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
  esac
  for ((i = 2; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --)
        ((++i))
        break
        ;;
      --threads | --hang | --as | --what-if | --trace | --html | --chrome) ((++i)) ;;
      -*) ;;
      *) break ;;
    esac
  done
  if ((i < COMP_CWORD)); then  # the program is named already
    if declare -F _command_offset > /dev/null; then
      _command_offset "$i"
    else
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -c -f -- "$word" | sort -u)
  fi
}
complete -o filenames -F _ashlar ashlar
